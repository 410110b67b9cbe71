import { changeSet, findCondition } from '@stead/engine'
import { seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { Region } from '../../regions/model.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { massLoss } from '../hold.ts'
import { type Server, servers } from '../model.ts'
import { Orphan } from '../orphans/model.ts'
import { known, liveIn } from './end-state.ts'
import type { Plan } from './plan.ts'
import { runServers } from './run.ts'
import { scenarios } from './scenarios.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 120_000 })

const twelve: Plan = Array.from({ length: 12 }, (_, index) => ({
  id: `box_${index}`,
  steps: [{ type: 'create', after: 0 }],
}))

const guardIn = ({ ledger }: ControlStage) =>
  known<Region>(ledger, Region.kind).map(({ status }) => findCondition(status.conditions, massLoss)?.status)
const isGuarded = (stage: ControlStage): boolean => guardIn(stage).includes('true')
const lostIn = ({ ledger }: ControlStage) => known<Server>(ledger, servers).filter(({ status }) => status.lost)

async function until(stage: ControlStage, what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 600) throw new Error(`it never came true: ${what}`)
    await stage.world.sleep(seconds(1))
  }
}

const allRun = (stage: ControlStage) => () =>
  known<Server>(stage.ledger, servers).filter(({ status }) => status.observed?.state === 'running').length === 12

async function loseAll(stage: ControlStage): Promise<void> {
  await until(stage, 'all run', allRun(stage))
  for (const { id } of liveIn(stage.cloud)) stage.cloud.disappear(id)
  await until(stage, 'the guard is up', () => isGuarded(stage))
  await stage.world.sleep(seconds(180))
  expect(lostIn(stage)).toEqual([])
  expect(liveIn(stage.cloud)).toEqual([])
}

/** As the route does it. */
const accept = (stage: ControlStage) =>
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

test.each([true, false])(
  'when a whole region looks gone, nothing is done until an operator says so (streams: %s)',
  async streams => {
    const { violation, endState } = await runServers({
      seed: 1,
      nodes: 2,
      plan: twelve,
      sky: { streams },
      async afterwards(stage) {
        await loseAll(stage)
        await accept(stage)
        await until(stage, 'all run again', allRun(stage))
        await until(stage, 'nothing is said of it any more', () => guardIn(stage).every(status => status === undefined))
      },
    })
    expect(violation).toBeUndefined()
    expect(JSON.parse(endState)).toMatchObject({ live: 12, servers: 12 })
  },
)

test('what was only out of sight is as it was when it is back', async () => {
  const { violation } = await runServers({
    seed: 1,
    nodes: 1,
    plan: twelve,
    sky: { streams: false },
    async afterwards(stage) {
      await until(stage, 'all run', allRun(stage))
      const before = liveIn(stage.cloud).map(server => ({ server, tags: server.tags }))
      for (const { server } of before) server.retag({})
      await until(stage, 'the guard is up', () => isGuarded(stage))
      await stage.world.sleep(seconds(180))
      for (const { server, tags } of before) server.retag(tags)
      await until(stage, 'the guard is down', () => !isGuarded(stage))
      expect(lostIn(stage)).toEqual([])
      expect(liveIn(stage.cloud)).toHaveLength(12)
    },
  })
  expect(violation).toBeUndefined()
})

test('an orphan that an operator reaps is ended, and nothing else', async () => {
  const { violation, endState } = await runServers({
    seed: 1,
    nodes: 1,
    plan: scenarios.create,
    stray: 'reaped',
    async afterwards(stage) {
      await until(stage, 'it is reported', () => known(stage.ledger, Orphan.kind).length === 1)
      await stage.requests.insist({
        who: 'operator',
        what: 'reap',
        known: 0,
        changes({ engine }) {
          const [orphan] = engine.cache.platform().list<Orphan>({ kind: Orphan.kind }).items
          return orphan && changeSet(stage.world).update(orphan, { spec: { ...orphan.spec, reap: { by: 'usr_1' } } })
        },
        isDone: () => false,
      })
      await until(stage, 'it is gone', () => liveIn(stage.cloud).length === 1)
    },
  })
  expect(violation).toBeUndefined()
  expect(JSON.parse(endState)).toMatchObject({ live: 1, servers: 1, orphans: 0 })
})
