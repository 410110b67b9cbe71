import { refKey } from '@stead/engine'
import type { Watch } from '@stead/engine/simulation'
import { ownTags, type ServerInfo, type Tags } from '@stead/provider-kit'
import type { ControlStage } from '../../simulation/index.ts'
import { backendKeyPrefix, type Server, servers, slotKeyPrefix } from '../model.ts'
import { Orphan } from '../orphans/model.ts'
import { isLive, known, liveIn } from './end-state.ts'

/** What must hold of servers and of what there is in the cloud. The numbers are DESIGN's. */
export const serverInvariants = {
  'I1 one live backend object per server': 'two live objects in the cloud are of one server',
  'I2 nothing in the cloud without an owner':
    'something in the cloud has had no server for longer than the grace time, and goes on or is not reported',
  'I4 what is deleted leaves nothing behind': 'something of a deleted object is still there',
  'nothing ends that nobody asked to end':
    'something in the cloud was ended though it was to stay, or nobody ever had it',
  'nothing is forgotten before it is gone': 'a server was forgotten while its backend object was still there',
  'what is there is not called lost': 'a server was called lost whose backend object was there',
  'nothing is launched unannounced': 'something is in the cloud whose server does not say that it was sent',
} as const

export type ServerInvariant = keyof typeof serverInvariants

/** An orphan is seen twice, five minutes apart, before it goes; whatever else goes wrong, that is over by then. */
const graceTime = 12 * 60_000

/** What has been there for longer was not too late to be found. */
const lateness = 15_000

/** On what somebody else has made after one of ours, with its tags: it is not ours to end. */
export const copyTag = 'copied-by'

const isOurs = ({ tags }: { readonly tags: Tags }): boolean => !(copyTag in tags)

/** What a server holds for as long as it is there. */
const keysOfServers = [slotKeyPrefix, backendKeyPrefix]

/** As much of a stage as it takes to watch servers, whoever has them. */
type Watched = Pick<ControlStage, 'world' | 'ledger' | 'cloud' | 'trace'> & {
  readonly violations: Watch<ServerInvariant>
}

/** Watches servers and the cloud from outside. */
export class Watchman {
  readonly #stage: Watched
  readonly #ownerlessSince = new Map<string, number>()
  /** Servers, and their backend objects as far as these are known. */
  readonly #known = new Map<string, string | undefined>()
  readonly #lost = new Set<string>()
  readonly #forgotten = new Set<string>()
  readonly #mayEnd = new Set<string>()

  constructor(stage: Watched) {
    this.#stage = stage
    stage.cloud.account().events.listen(({ view }) => {
      const serverId = view?.tags[ownTags.serverId]
      if (view && serverId !== undefined) this.#changed(view, serverId)
    })
  }

  /** Somebody asks for the end of what is of this server, whether it is known here or not. */
  mayEnd(serverId: string): void {
    this.#mayEnd.add(serverId)
  }

  get #live() {
    return liveIn(this.#stage.cloud).filter(isOurs)
  }

  /** Something happened in the cloud. */
  #changed({ id, state, tags }: Pick<ServerInfo, 'id' | 'tags'> & { readonly state: string }, serverId: string): void {
    const { violations, ledger, trace } = this.#stage
    trace.add('cloud', `${id} of ${serverId} is ${state}`)
    const live = this.#live.filter(each => each.tags[ownTags.serverId] === serverId)
    violations.check(live.length <= 1, 'I1 one live backend object per server', () => `${serverId} has ${live.length}`)
    const server = known<Server>(ledger, servers).find(each => each.id === serverId)
    const isGivenUp = server ? server.deletedAt !== undefined : this.#forgotten.has(serverId)
    const mayEnd = (isOurs({ tags }) && isGivenUp) || this.#mayEnd.has(serverId)
    if (state === 'deleting')
      violations.check(mayEnd, 'nothing ends that nobody asked to end', () => `${id} of ${serverId} was ended`)
    if (!server) return
    const isSent = server.status.launch === 'sent'
    violations.check(isSent, 'nothing is launched unannounced', () => `${id} of ${serverId} is there`)
  }

  eachSecond(): void {
    const { world, violations } = this.#stage
    const ownerless = this.#live.filter(each => this.#isOwnerless(each))
    for (const id of this.#ownerlessSince.keys())
      if (!ownerless.some(each => each.id === id)) this.#ownerlessSince.delete(id)
    for (const { id } of ownerless) {
      const since = this.#ownerlessSince.get(id) ?? world.time
      this.#ownerlessSince.set(id, since)
      const inTime = world.time - since < graceTime
      violations.check(inTime, 'I2 nothing in the cloud without an owner', () => `${id} has had none for too long`)
    }
  }

  /** What was ever ours must go. What never was is reported: it stays until an operator says otherwise. */
  #isOwnerless({ id, tags }: { readonly id: string; readonly tags: Tags }): boolean {
    const { ledger } = this.#stage
    const serverId = tags[ownTags.serverId]
    if (serverId === undefined || ledger.objects.has(`${servers}/${serverId}`)) return false
    const mustGo = this.#forgotten.has(serverId) || this.#mayEnd.has(serverId)
    return mustGo || known<Orphan>(ledger, Orphan.kind).every(({ spec }) => spec.backendId !== id)
  }

  synced(): void {
    const { ledger, violations } = this.#stage
    const leftover = 'I4 what is deleted leaves nothing behind'
    for (const [key, holder] of ledger.keys) {
      const isServers = keysOfServers.some(prefix => key.startsWith(prefix))
      const belongs = !isServers || ledger.objects.has(`${servers}/${holder}`)
      violations.check(belongs, leftover, () => `${key} is held by ${holder}, which is gone`)
    }
    const here = known<Server>(ledger, servers)
    for (const { id, owner } of here)
      violations.check(ledger.objects.has(refKey(owner!)), leftover, () => `${id} has lost its ${owner?.kind}`)
    this.#checkGone(here)
  }

  #checkGone(here: readonly Server[]): void {
    const { ledger, violations, cloud } = this.#stage
    cloud.clockwork.advance()
    for (const { id, status, deletedAt } of here) {
      const real = cloud.account().servers.get(status.backendId ?? '')
      const isThere = real !== undefined && isLive(real)
      const isCalledLost = status.lost !== undefined && deletedAt === undefined && !this.#lost.has(id)
      if (status.lost) this.#lost.add(id)
      violations.check(!(isCalledLost && isThere), 'what is there is not called lost', () => `${id} is there`)
      this.#known.set(id, status.backendId)
    }
    for (const id of this.#known.keys()) {
      if (ledger.objects.has(`${servers}/${id}`)) continue
      const [left] = this.#leftOf(id)
      violations.check(!left, 'nothing is forgotten before it is gone', () => `${id} is still ${left?.state}`)
      this.#known.delete(id)
      this.#forgotten.add(id)
    }
  }

  /** What was made by a launch that came long after anybody waited for it is not its: that is for the sweep. */
  #leftOf(serverId: string): readonly { readonly state: string }[] {
    const { cloud, world } = this.#stage
    return [...cloud.account().servers]
      .filter(isOurs)
      .filter(
        ({ id, tags, state, launchedAt }) =>
          tags[ownTags.serverId] === serverId &&
          state !== 'deleted' &&
          (id === this.#known.get(serverId) || world.time - launchedAt > lateness),
      )
  }
}
