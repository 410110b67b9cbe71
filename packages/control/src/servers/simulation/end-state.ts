import { canonicalJson } from '@stead/engine'
import type { Ledger } from '@stead/engine/simulation'
import type { ControlStage } from '../../simulation/index.ts'
import { type Server, servers } from '../model.ts'
import { orphans } from '../orphans/model.ts'
import { type Box, boxes, wentAstray } from './boxes.ts'
import { lastSpec, type Plan } from './plan.ts'

/** The objects of a kind, as the ledger has them: no cache, no node in between. */
export function known<T>(ledger: Ledger, kind: string): T[] {
  return [...ledger.objects.values()]
    .filter(object => object.kind === kind)
    .map(({ id, generation, revision, spec, rest }) => ({
      ...JSON.parse(rest),
      kind,
      id,
      generation,
      revision,
      spec: JSON.parse(spec),
    }))
}

type Sight = Pick<ControlStage, 'ledger' | 'cloud'>

export const liveIn = (cloud: ControlStage['cloud']) =>
  [...cloud.account().servers].filter(({ state }) => state !== 'deleting' && state !== 'deleted')

/** Everything is as it should be and says so; nothing is on its way, and nothing is left over. */
export function isSettled({ ledger, cloud }: Sight, plan: Plan): boolean {
  cloud.clockwork.advance()
  const live = liveIn(cloud)
  const here = known<Server>(ledger, servers)
  const wanted = plan.flatMap(life => {
    const spec = lastSpec(life)
    return spec ? [{ id: life.id, spec }] : []
  })
  if (known<Box>(ledger, boxes).length !== wanted.length) return false
  if (here.length !== wanted.length || live.length !== wanted.length || known(ledger, orphans).length > 0) return false
  return wanted.every(({ id, spec }) => {
    const server = here.find(({ owner }) => owner?.id === id)
    const real = live.find(each => each.id === server?.status.backendId)
    if (!server || !real || wentAstray(server) || server.deletedAt !== undefined) return false
    const { applied, applying, failure, observed, lost } = server.status
    const { source } = real.spec
    return (
      !applying &&
      !failure &&
      !lost &&
      applied?.launch === server.spec.launch.sealed &&
      applied.power === spec.power &&
      real.state === (spec.power === 'on' ? 'active' : 'halted') &&
      observed?.state === (spec.power === 'on' ? 'running' : 'stopped') &&
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
    slots: [...ledger.keys.keys()].filter(key => key.startsWith('server-slot/')).length,
    live: liveIn(cloud).length,
    orphans: known(ledger, orphans).length,
  })
}
