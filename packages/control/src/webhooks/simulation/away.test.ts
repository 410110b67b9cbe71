import { millis, minutes, seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { settle } from '../decide.ts'
import { longAway } from './receiver.ts'
import { run, runSeed } from './run.ts'

vi.setConfig({ testTimeout: 300_000 })

test('a receiver that is away for an hour gets everything in order when it is back, and nobody else waits', async () => {
  const othersAt: number[] = []
  const { violation, receivers, virtualSeconds } = await run({
    ...{ seed: 1, nodes: 2, objects: 5, changes: 20, pause: millis(200), settleLimit: minutes(90) },
    prepare(receivers, { world }) {
      receivers.calm = () => {}
      receivers.awayUntil('flaky', world.time + longAway)
      const look = () => {
        if (receivers.taken('good', 'thing_0') < 20) world.setTimer(seconds(1), look)
        else othersAt.push(world.time)
      }
      const began = world.time
      look()
      world.setTimer(seconds(60), () => expect(othersAt[0]! - began).toBeLessThan(seconds(60)))
    },
  })
  expect(violation).toBeUndefined()
  expect(othersAt).toHaveLength(1)
  expect(receivers.taken('flaky', 'thing_4')).toBe(20)
  expect(virtualSeconds).toBeGreaterThan(3_600)
  // Found to be back within the longest pause, and not asked all the time until then: 200 events were to be sent.
  expect(virtualSeconds).toBeLessThan(3_600 + 400)
  expect(receivers.attempts).toBeLessThan(200 + 25 * 4 + 60)
})

test('what it never takes holds up its object, and no other', async () => {
  const { receivers, violation } = await run({
    ...{ seed: 2, nodes: 1, settleLimit: minutes(10) },
    prepare: receivers => (receivers.poison = 'thing_1 2'),
  })
  expect(violation?.detail).toBe('it has not settled')
  expect([0, 1, 2].map(index => receivers.taken('flaky', `thing_${index}`))).toEqual([6, 1, 6])
})

const bugs = {
  'what was not taken is settled all the same': (...[progress, round, results, at]: Parameters<typeof settle>) => ({
    ...settle(progress, round, results, at),
    progress: { cursor: round.through, held: [] },
  }),
  'what comes after it is sent first': (...[progress, round, results, at]: Parameters<typeof settle>) => {
    const settled = settle(progress, round, results, at)
    const held = settled.progress.held.map(each => ({ ...each, sequence: each.sequence + 1 }))
    return { ...settled, progress: { ...settled.progress, held } }
  },
  'what is held is forgotten when others are taken': (...[progress, round, results, at]: Parameters<typeof settle>) => {
    const settled = settle(progress, round, results, at)
    return {
      ...settled,
      progress: { ...settled.progress, held: settled.progress.held.filter(({ attempts }) => attempts > 1) },
    }
  },
}

test.each(Object.entries(bugs))('it is noticed that %s', async (_name, settle) => {
  for (let seed = 1; seed <= 20; seed++) if ((await runSeed(seed, { parts: { settle } })).violation) return
  throw new Error('nobody noticed')
})
