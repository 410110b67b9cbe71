import { changeSet } from '@stead/engine'
import { seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import type { ControlStage } from '../../simulation/index.ts'
import { Orphan } from '../orphans/model.ts'
import { known, liveIn } from './end-state.ts'
import { acceptLoss, lostIn, manyBoxes, until, untilAllRun, untilGuarded, untilUnguarded } from './operator.ts'
import { runServers } from './run.ts'
import { scenarios } from './scenarios.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 120_000 })

const twelve = manyBoxes(12)

async function loseAll(stage: ControlStage): Promise<void> {
  await untilAllRun(stage, 12)
  for (const { id } of liveIn(stage.cloud)) stage.cloud.disappear(id)
  await untilGuarded(stage)
  await stage.world.sleep(seconds(180))
  expect(lostIn(stage)).toEqual([])
  expect(liveIn(stage.cloud)).toEqual([])
}

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
        await acceptLoss(stage)
        await untilAllRun(stage, 12)
        await untilUnguarded(stage)
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
      await untilAllRun(stage, 12)
      const before = liveIn(stage.cloud).map(server => ({ server, tags: server.tags }))
      for (const { server } of before) server.retag({})
      await untilGuarded(stage)
      await stage.world.sleep(seconds(180))
      for (const { server, tags } of before) server.retag(tags)
      await untilUnguarded(stage)
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
