import type { OutsideCall, ReconcileContext } from '@stead/engine'
import {
  type Collection,
  type CreateToken,
  createToken,
  isProviderError,
  labelTags,
  listAll,
  type Provider,
  ProviderError,
  type ResourceInfo,
  type ResourceSpec,
  resourceTags,
} from '@stead/provider-kit'
import { type Duration, millis, seconds } from '@stead/world'
import type { RegionClients } from '../regions/clients.ts'
import type { Region } from '../regions/model.ts'
import type { Sighting } from './decide.ts'
import type { RealisedKind } from './kind.ts'
import type { Memory } from './memory.ts'
import type { Realised } from './model.ts'

/** How late something that was sent and given up may still happen, where a provider does not say. */
export const mostLate = seconds(30)

const calls = {
  describe: { name: 'describe-resource', mutates: false, deadline: seconds(10) },
  search: { name: 'search-resource', mutates: false, deadline: seconds(30) },
  create: { name: 'create-resource', mutates: true, deadline: seconds(30) },
  update: { name: 'update-resource', mutates: true, deadline: seconds(30) },
  remove: { name: 'remove-resource', mutates: true, deadline: seconds(30) },
} as const satisfies Record<string, OutsideCall>

export interface OutsideOptions<Object extends Realised, Spec extends ResourceSpec, Info extends ResourceInfo, Group> {
  readonly kind: RealisedKind<Object, Spec, Info, Group & Collection<Spec, Info>>
  readonly clients: RegionClients
  /** Undefined when it is gone: then nothing is asked. */
  readonly region: Region | undefined
  readonly memory: Memory
  readonly context: Pick<ReconcileContext, 'outside' | 'world' | 'cache'>
}

/** Everything that is asked of a backend about one object, each through the engine's door. */
export class Outside<
  Object extends Realised,
  Spec extends ResourceSpec,
  Info extends ResourceInfo,
  Group extends Collection<Spec, Info>,
> {
  readonly #options: OutsideOptions<Object, Spec, Info, Group>

  constructor(options: OutsideOptions<Object, Spec, Info, Group>) {
    this.#options = options
  }

  /** Asks for it by its id. That it is not there is believed once no older picture can explain it. */
  async describe(object: Object): Promise<Sighting<Info>> {
    const { memory, context } = this.#options
    const { id, status } = object
    const known = memory.since(id, 'described', context.world.monotonic())
    return this.#call(object, calls.describe, async ({ group, provider, signal }) => {
      try {
        return { type: 'found', info: await group.describe(status.backendId!, { signal }) }
      } catch (error) {
        if (!isProviderError(error, 'NotFound')) throw error
        return { type: 'missing', surely: known >= provider.capabilities().consistency.describe }
      }
    })
  }

  /** Looks for whatever carries its tags: nothing is sent any more when this is asked, but something may be on its way. */
  async search(object: Object): Promise<Sighting<Info>> {
    const { memory, context } = this.#options
    const searched = memory.since(object.id, 'searched', context.world.monotonic())
    return this.#call(object, calls.search, async ({ group, provider, signal }) => {
      const found = await listAll(group.list({ tags: this.#tags(object) }, { signal }))
      const surely = searched >= this.#comesToLight(provider, object)
      return { type: 'searched', ids: found.map(({ id }) => id), surely }
    })
  }

  create(object: Object, fresh: boolean): Promise<Info> {
    const { kind, context } = this.#options
    const { id, name, status } = object
    const labels = labelTags(status.sent!.labels)
    const spec = {
      ...kind.specOf(object, context.cache),
      name: name ?? id,
      tags: { ...labels, ...this.#tags(object) },
    } as Spec
    const deadline = kind.createDeadline ?? calls.create.deadline
    return this.#call(object, { ...calls.create, deadline }, ({ group, signal }) =>
      group.create(spec, this.token(object), { signal, fresh }),
    )
  }

  /** One object, one token: whatever becomes of a create, no other one is ever made for it. */
  protected token({ id }: Object): CreateToken {
    return createToken(id)
  }

  update(object: Object): Promise<Info> {
    const { update } = this.#options.kind
    return this.#call(object, calls.update, ({ group, signal }) =>
      update!.apply(group, object, { id: object.status.backendId!, signal }),
    )
  }

  async remove(object: Object, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#call(object, calls.remove, ({ group, signal }) => group.delete(id, { signal }))
  }

  #tags({ id }: Object) {
    const { clients, region } = this.#options
    return resourceTags(clients.ownerIn(region!), id)
  }

  #comesToLight(provider: Provider, object: Object): Duration {
    const { groups, consistency } = provider.capabilities()
    const creating = groups[this.#options.kind.group(object)]
    const late = creating?.idempotency.mode === 'search' ? creating.idempotency.settle : mostLate
    return millis(late + consistency.list)
  }

  #call<T>(object: Object, call: OutsideCall, perform: (asked: Asked<Group>) => Promise<T>): Promise<T> {
    const { kind, clients, region, context } = this.#options
    return context.outside(call, async signal => {
      const provider = await clients.of(region!)
      const group = kind.collection(provider, object)
      if (!group) throw new ProviderError('Unsupported', `region ${region!.name} has no ${kind.group(object)}`)
      return perform({ group, provider, signal })
    })
  }
}

interface Asked<Group> {
  readonly group: Group
  readonly provider: Provider
  readonly signal: AbortSignal
}
