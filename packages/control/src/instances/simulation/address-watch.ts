import { isDeepStrictEqual } from 'node:util'
import type { Server } from '../../servers/model.ts'
import type { ControlStage } from '../../simulation/index.ts'
import type { Instance, KeptAddresses } from '../model.ts'
import type { InstanceInvariant } from './watchman.ts'

/** Watches who has which address, in the cloud and as it is told. */
export class AddressWatch {
  readonly #stage: ControlStage<InstanceInvariant>
  /** By instance, what it has kept so far. */
  readonly #kept = new Map<string, KeptAddresses>()

  /** By instance, the server that it last had. */
  readonly #active = new Map<string, string>()

  constructor(stage: ControlStage<InstanceInvariant>) {
    this.#stage = stage
    stage.cloud.account().events.listen(() => this.#unique())
  }

  look(here: readonly Instance[], all: readonly Server[]): void {
    for (const instance of here) {
      this.#stays(instance, all)
      const { active } = instance.status.slots
      if (active !== undefined) this.#active.set(instance.id, active)
    }
  }

  /** A server that was replaced has gone: its successor must have been seen. */
  given({ id, status, deletedAt }: Instance, server: Server, own: readonly Server[]): void {
    const successor = own.find(each => each.id === status.slots.active)
    if (!this.wasActive({ id }, server) || deletedAt !== undefined || !successor || successor === server) return
    if (!server.spec.keepsAddresses || server.status.lost) return
    const { observed } = successor.status
    this.#stage.violations.check(
      observed !== undefined && observed.state !== 'pending',
      'the old one stays until the new one is proven',
      () => `${server.id} of ${id} goes, and ${successor.id} is ${observed?.state ?? 'not made'}`,
    )
  }

  /** Whether this was its server when it was last looked at. */
  wasActive({ id }: Pick<Instance, 'id'>, server: Server): boolean {
    return this.#active.get(id) === server.id
  }

  #unique(): void {
    const holders = new Map<string, string>()
    for (const { id, address, publicAddress, removed } of this.#stage.cloud.account().servers)
      for (const each of removed ? [] : [address, publicAddress]) {
        if (each === undefined) continue
        const other = holders.get(each)
        const detail = () => `${each} is of ${other} and of ${id}`
        this.#stage.violations.check(other === undefined, 'an address is of one', detail)
        holders.set(each, id)
      }
  }

  #stays({ id, spec, status }: Instance, all: readonly Server[]): void {
    const { violations, cloud } = this.#stage
    if (!spec.source.machine?.keepAddresses || !status.kept) {
      this.#kept.delete(id)
      return
    }
    const { kept } = status
    const before = this.#kept.get(id) ?? kept
    this.#kept.set(id, before)
    const say = (what: string, found: unknown) => () => `${id} keeps ${before.private}, and ${what} ${found}`
    violations.check(isDeepStrictEqual(kept, before), 'kept addresses stay', say('now', kept.private))
    const { active, next } = status.slots
    for (const slot of [active, ...(status.replacement?.addresses ? [next] : [])]) {
      const server = all.find(({ id }) => id === slot)
      const real = cloud.account().servers.get(server?.status.backendId ?? '')
      if (real?.state === 'active' && server?.deletedAt === undefined)
        violations.check(real.address === before.private[0], 'kept addresses stay', say('runs with', real.address))
    }
    const { private: shown } = status.addresses
    if (status.phase === 'running')
      violations.check(isDeepStrictEqual(shown, before.private), 'kept addresses stay', say('shows', shown))
  }
}
