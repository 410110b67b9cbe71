import { ownTags } from '@stead/provider-kit'
import type { ControlStage } from '../../simulation/index.ts'
import { type Server, servers } from '../model.ts'
import { boxes } from './boxes.ts'
import { known, liveIn } from './end-state.ts'

/** What must hold of servers and of what there is in the cloud. The numbers are DESIGN's. */
export const serverInvariants = {
  'I1 one live backend object per server': 'two live objects in the cloud are of one server',
  'I2 nothing in the cloud without an owner': 'something in the cloud has had no server for longer than the grace time',
  'I4 what is deleted leaves nothing behind': 'something of a deleted object is still there',
  'nothing ends that nobody asked to end': 'something in the cloud was ended though its server was to stay',
  'nothing is launched unannounced': 'something is in the cloud whose server does not say that it was sent',
} as const

export type ServerInvariant = keyof typeof serverInvariants

/** An orphan is seen twice, five minutes apart, before it goes; whatever else goes wrong, that is over by then. */
const graceTime = 12 * 60_000

/** Watches servers and the cloud from outside. */
export class Watchman {
  readonly #stage: ControlStage<ServerInvariant>
  readonly #ownerlessSince = new Map<string, number>()

  constructor(stage: ControlStage<ServerInvariant>) {
    this.#stage = stage
    stage.cloud.account().events.listen(({ id, view }) => {
      if (view) this.#changed(id, view.state, view.tags[ownTags.serverId] ?? '')
    })
  }

  /** Something happened in the cloud. */
  #changed(id: string, state: string, serverId: string): void {
    const { violations, cloud, ledger, trace } = this.#stage
    trace.add('cloud', `${id} of ${serverId} is ${state}`)
    const live = liveIn(cloud).filter(({ tags }) => tags[ownTags.serverId] === serverId)
    violations.check(live.length <= 1, 'I1 one live backend object per server', () => `${serverId} has ${live.length}`)
    const server = known<Server>(ledger, servers).find(each => each.id === serverId)
    if (!server) return
    const mayEnd = server.deletedAt !== undefined || server.status.backendId !== id
    if (state === 'deleting')
      violations.check(mayEnd, 'nothing ends that nobody asked to end', () => `${id} of ${serverId} was ended`)
    const isSent = server.status.launch === 'sent'
    violations.check(isSent, 'nothing is launched unannounced', () => `${id} of ${serverId} is there`)
  }

  eachSecond(): void {
    const { world, ledger, violations, cloud } = this.#stage
    const ownerless = liveIn(cloud).filter(({ tags }) => !ledger.objects.has(`${servers}/${tags[ownTags.serverId]}`))
    for (const id of this.#ownerlessSince.keys())
      if (!ownerless.some(each => each.id === id)) this.#ownerlessSince.delete(id)
    for (const { id } of ownerless) {
      const since = this.#ownerlessSince.get(id) ?? world.time
      this.#ownerlessSince.set(id, since)
      const inTime = world.time - since < graceTime
      violations.check(inTime, 'I2 nothing in the cloud without an owner', () => `${id} has had none for too long`)
    }
  }

  synced(): void {
    const { ledger, violations } = this.#stage
    const leftover = 'I4 what is deleted leaves nothing behind'
    for (const [key, holder] of ledger.keys) {
      const belongs = !key.startsWith('server-slot/') || ledger.objects.has(`${servers}/${holder}`)
      violations.check(belongs, leftover, () => `${key} is held by ${holder}, which is gone`)
    }
    for (const { id, owner } of known<Server>(ledger, servers))
      violations.check(ledger.objects.has(`${boxes}/${owner?.id}`), leftover, () => `${id} has lost its box`)
  }
}
