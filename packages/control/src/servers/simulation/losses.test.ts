import { millis, minutes, seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import type { ControlStage } from '../../simulation/index.ts'
import { removedAfter } from '../orphans/model.ts'
import { liveIn } from './end-state.ts'
import {
  acceptLoss,
  guardIn,
  lostIn,
  manyBoxes,
  toldIn,
  until,
  untilAllRun,
  untilGuarded,
  untilUnguarded,
} from './operator.ts'
import { runServers, type ServersOptions } from './run.ts'
import { giveUp, leaveStray } from './strays.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 120_000 })

/** Runs so many boxes until all are there, and then what happens to them. */
async function runBoxes(
  count: number,
  then: (stage: ControlStage) => Promise<void>,
  more: Partial<ServersOptions> = {},
): Promise<Record<string, number>> {
  const { violation, endState } = await runServers({
    ...{ seed: 1, nodes: 1, plan: manyBoxes(count), sky: { streams: false } },
    ...more,
    async afterwards(stage) {
      await untilAllRun(stage, count)
      await then(stage)
    },
  })
  expect(violation).toBeUndefined()
  return JSON.parse(endState)
}

/** They vanish, and a new one is made in the place of each: the old ones are forgotten by then. */
async function loseAndReplace(stage: ControlStage, count: number, of: number): Promise<void> {
  const before = liveIn(stage.cloud).slice(0, count)
  for (const { id } of before) stage.cloud.disappear(id)
  await until(stage, 'they are made anew', () => {
    const gone = before.every(({ id }) => !liveIn(stage.cloud).some(live => live.id === id))
    return gone && liveIn(stage.cloud).length === of
  })
  await untilAllRun(stage, of)
}

test('many small losses are a large one, though what was lost is made anew at once; it is told when it begins and ends', async () => {
  const end = await runBoxes(40, async stage => {
    await loseAndReplace(stage, 9, 40)
    expect(guardIn(stage)).toEqual([undefined])
    const ending = liveIn(stage.cloud).slice(0, 9)
    for (const { id } of ending) stage.cloud.disappear(id)
    await untilGuarded(stage)
    // Time alone makes nothing of it believed.
    await stage.world.sleep(minutes(15))
    expect(guardIn(stage)).toEqual(['true'])
    expect(lostIn(stage)).toEqual([])
    expect(liveIn(stage.cloud)).toHaveLength(31)
    await acceptLoss(stage)
    await untilUnguarded(stage)
    expect(toldIn(stage)).toEqual([
      {
        level: 'warning',
        reason: 'MassLoss',
        message:
          '18 of 49 servers look gone at once: nothing is done here until they are back, or an operator accepts the loss',
      },
      { level: 'info', reason: 'MassLossOver', message: 'no more servers look gone than may be lost at once' },
    ])
  })
  expect(end).toMatchObject({ live: 40, servers: 40 })
})

test('losses that are more than ten minutes apart are not one', async () => {
  const end = await runBoxes(40, async stage => {
    await loseAndReplace(stage, 9, 40)
    await stage.world.sleep(minutes(11))
    await loseAndReplace(stage, 9, 40)
    expect(guardIn(stage)).toEqual([undefined])
  })
  expect(end).toMatchObject({ live: 40, servers: 40 })
})

test.each([20, 30, 40, 50, 60])(
  'from the moment the guard is up no orphan is removed (all vanish %d s before one is due)',
  async early => {
    await runBoxes(
      12,
      async stage => {
        await giveUp(stage, ['srv_late'])
        leaveStray(stage, 'srv_late')
        await until(stage, 'it is reported', () => toldIn(stage).length === 1)
        await stage.world.sleep(millis(removedAfter - seconds(30 + early)))
        for (const { id, name } of liveIn(stage.cloud)) if (name !== 'stray') stage.cloud.disappear(id)
        await untilGuarded(stage)
        await stage.world.sleep(minutes(2))
        expect(toldIn(stage).at(-1)?.reason).toBe('MassLoss')
        await acceptLoss(stage)
        await untilUnguarded(stage)
      },
      { mayEnd: ['srv_late'] },
    )
  },
)
