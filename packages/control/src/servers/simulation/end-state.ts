import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '@stead/engine'
import type { Ledger } from '@stead/engine/simulation'
import { labelsIn } from '@stead/provider-kit'
import type { ControlStage } from '../../simulation/index.ts'
import { isSteady, type Server, servers, slotKeyPrefix } from '../model.ts'
import { Orphan } from '../orphans/model.ts'
import { type Box, boxes, wentAstray } from './boxes.ts'
import { lastSpec, type Plan } from './plan.ts'

type Encoded = Ledger['objects'] extends Map<string, infer Change> ? Change : never

/** What was read once is read: versions never change, and all of them are looked at after every commit. */
const readAlready = new WeakMap<Encoded, unknown>()

function read(object: Encoded): unknown {
  const before = readAlready.get(object)
  if (before) return before
  const { kind, id, generation, revision, spec, rest } = object
  const fresh = { ...JSON.parse(rest), kind, id, generation, revision, spec: JSON.parse(spec) }
  readAlready.set(object, fresh)
  return fresh
}

/** The objects of a kind, as the ledger has them: no cache, no node in between. */
export const known = <T>(ledger: Ledger, kind: string): T[] =>
  [...ledger.objects.values()].filter(object => object.kind === kind).map(read) as T[]

type Sight = Pick<ControlStage, 'ledger' | 'cloud'>

/** Whether it is there, and nobody has asked for its end. */
export const isLive = ({ state }: { readonly state: string }): boolean => state !== 'deleting' && state !== 'deleted'

export const liveIn = (cloud: ControlStage['cloud']) => [...cloud.account().servers].filter(isLive)

/** Everything is as it should be and says so; nothing is on its way, and nothing is left over. */
export function isSettled({ ledger, cloud }: Sight, { plan, strays }: { plan: Plan; strays: number }): boolean {
  cloud.clockwork.advance()
  const live = liveIn(cloud)
  const here = known<Server>(ledger, servers)
  const wanted = plan.flatMap(life => {
    const spec = lastSpec(life)
    return spec ? [{ id: life.id, spec }] : []
  })
  if (known<Box>(ledger, boxes).length !== wanted.length) return false
  if (here.length !== wanted.length || live.length !== wanted.length + strays) return false
  if (known(ledger, Orphan.kind).length !== strays) return false
  return wanted.every(({ id, spec }) => {
    const server = here.find(({ owner }) => owner?.id === id)
    const real = live.find(each => each.id === server?.status.backendId)
    if (!server || !real || !isSteady(server) || wentAstray(server)) return false
    const { failure, observed } = server.status
    const { source } = real.spec
    return (
      !failure &&
      server.spec.power === spec.power &&
      server.spec.restart!.sequence >= spec.restarts &&
      server.spec.rebuild!.sequence >= spec.rebuilds &&
      // One that did not come up is off, too.
      (spec.power === 'on' ? ['active'] : ['halted', 'error']).includes(real.state) &&
      observed?.state === (spec.power === 'on' ? 'running' : 'stopped') &&
      // What was seen last may be from an older picture, until the next look.
      observed.stateReason === real.reason &&
      // Nor are labels that somebody else wrote on the server missed before that.
      isDeepStrictEqual({ ...(observed.labels ?? server.labels) }, { ...labelsIn(real.tags) }) &&
      observed.addresses.private[0] === (spec.power === 'on' ? real.address : undefined) &&
      source.type === 'machine' &&
      source.flavor === spec.flavor &&
      source.image === spec.image &&
      real.tags['stead.label.box'] === spec.label
    )
  })
}

/** What is left in the end, without what may differ: ids, times, how often something was tried. */
export function endState({ ledger, cloud }: Sight): string {
  const here = known<Server>(ledger, servers)
  const left = known<Box>(ledger, boxes).map(({ id, spec }) => ({
    id,
    spec,
    servers: here.filter(({ owner }) => owner?.id === id).length,
  }))
  return canonicalJson({
    boxes: left.sort((a, b) => (a.id < b.id ? -1 : 1)),
    servers: here.length,
    slots: [...ledger.keys.keys()].filter(key => key.startsWith(slotKeyPrefix)).length,
    live: liveIn(cloud).length,
    orphans: known(ledger, Orphan.kind).length,
  })
}
