import { changeSet, findCondition } from '@stead/engine'
import { seconds } from '@stead/world'
import type { Event } from '../../events/model.ts'
import { Region } from '../../regions/model.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { massLoss } from '../hold.ts'
import { type Server, servers } from '../model.ts'
import { known } from './end-state.ts'
import type { Plan } from './plan.ts'

/** So many users who want a server each, and nothing else. */
export const manyBoxes = (count: number): Plan =>
  Array.from({ length: count }, (_, index) => ({ id: `box_${index}`, steps: [{ type: 'create', after: 0 }] }))

export async function until(stage: ControlStage, what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 600) throw new Error(`it never came true: ${what}`)
    await stage.world.sleep(seconds(1))
  }
}

export const untilAllRun = (stage: ControlStage, count: number): Promise<void> =>
  until(stage, 'all run', () => {
    const here = known<Server>(stage.ledger, servers)
    return here.length === count && here.every(({ status }) => status.observed?.state === 'running' && !status.lost)
  })

export const guardIn = ({ ledger }: ControlStage) =>
  known<Region>(ledger, Region.kind).map(({ status }) => findCondition(status.conditions, massLoss)?.status)

export const untilGuarded = (stage: ControlStage): Promise<void> =>
  until(stage, 'the guard is up', () => guardIn(stage).includes('true'))

/** Nothing is said of a loss any more. */
export const untilUnguarded = (stage: ControlStage): Promise<void> =>
  until(stage, 'the guard is down', () => guardIn(stage).every(status => status === undefined))

export const lostIn = ({ ledger }: ControlStage) => known<Server>(ledger, servers).filter(({ status }) => status.lost)

/** What events tell of the region, in order. */
export const toldIn = ({ ledger, region }: ControlStage) =>
  (ledger.records as readonly Partial<Event>[])
    .filter(({ object }) => object?.id === region)
    .map(({ level, reason, message }) => ({ level, reason, message }))

/** Says that what looks gone is gone, as the route does it. */
export const acceptLoss = (stage: ControlStage) =>
  stage.requests.insist({
    who: 'operator',
    what: 'accept the loss',
    known: 0,
    changes({ engine }) {
      const region = engine.cache.platform().get<Region>(Region.kind, stage.region)!
      const conditions = region.status.conditions!.map(each =>
        each.type === massLoss ? { ...each, status: 'false' as const } : each,
      )
      return changeSet(stage.world).update(region, { status: { ...region.status, conditions } })
    },
    isDone: () => false,
  })
