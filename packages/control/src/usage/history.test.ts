import { openSqliteStore, type ReconcileContext } from '@stead/engine'
import { type MetricsSample, unknownUsage } from '@stead/provider-kit'
import { temporaryDirectory } from '@stead/testing'
import { days, hours, instant, minutes, realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { linesOf, pointsIn } from './history.ts'
import { Meter } from './meter.ts'
import { rollUp } from './roll-up.ts'
import { tracks } from './tracks.ts'

const every = seconds(15)
const region = 'reg_1'

const never = (_at: number): boolean => false

/** An instance that is measured for some days, by nodes that die now and then; its cpu is its hour of the day. */
async function live(until: number, { isAway = never, dies = never } = {}) {
  const store = await openSqliteStore({ directory: temporaryDirectory(), world: realWorld })
  onTestFinished(() => store.close())
  let meter = new Meter()
  const from = days(20_000) as number
  for (let at = from; at < from + until; at += every) {
    if (isAway(at - from)) continue
    if (dies(at - from)) meter = new Meter()
    const hour = Math.floor(((at - from) / hours(1)) % 24)
    const total = { ...unknownUsage, cpuMillis: hour * 1_000, memoryBytes: 1_000 }
    const sample: MetricsSample = { at: instant(at), since: null, total, services: {} }
    meter.take(new Map([['backend', 'inst_1']]), new Map([['backend', sample]]), { now: at, every })
    await meter.flush(store.series, { now: at, isBusy: false })
    const context = {
      world: { now: () => instant(at), sleep: async () => {} },
      cache: { list: () => ({ items: [{ id: 'inst_1' }] }) },
      signal: new AbortController().signal,
    } as unknown as ReconcileContext
    await rollUp(store, { region, done: meter.rolledUp }, context)
    // What maintenance does.
    if (at % minutes(30) === 0)
      for (const { name: track, keep } of tracks) await store.series.expire({ track, before: at - keep, limit: 1_000 })
  }
  const now = from + until
  const line = async (range: number, step: number) => {
    const stretch = { from: now - range, to: now, step }
    const [cpu] = linesOf(await pointsIn(store.series, 'inst_1', stretch), stretch, { names: ['cpu'] })
    return cpu!.points.map(([, value]) => value)
  }
  return { store, line, from }
}

test('three days are kept finely for hours, by the minute for a day, by ten minutes for longer, and nothing is lost', async () => {
  const { store, line, from } = await live(days(3) as number)
  expect(await line(hours(2), minutes(30))).toEqual([22, 22, 23, 23])
  expect(await line(days(1), hours(6))).toEqual([2.5, 8.5, 14.5, 20.5])
  expect(await line(days(3), hours(1))).toEqual([0, 1, 2].flatMap(() => Array.from({ length: 24 }, (_, hour) => hour)))
  const held = async (track: string) =>
    (await store.series.read({ subjects: ['inst_1'], track, from, before: from + days(4) })).length
  expect(await Promise.all(tracks.map(({ name }) => held(name)))).toEqual([36, 26, 2].map(() => expect.any(Number)))
  expect(await held(tracks[0]!.name)).toBeLessThan(45)
  expect(await held(tracks[1]!.name)).toBeLessThan(29)
}, 60_000)

test('a gap is a gap, and a node that died costs no more than what it had not put away', async () => {
  const isAway = (at: number) => at >= hours(1) && at < hours(1.5)
  const dies = (at: number) => at === hours(2.5)
  const { line } = await live(hours(5) as number, { isAway, dies })
  expect(await line(hours(5), minutes(30))).toEqual([0, 0, null, 1, 2, 2, 3, 3, 4, 4])
  const around = await line(hours(3), seconds(30))
  expect(around.filter(value => value === null).length).toBeLessThan(6 + 2 * 60)
}, 60_000)

test('after hours of nobody looking, what was put away before is still made coarser', async () => {
  const isAway = (at: number) => at >= hours(2) && at < hours(4)
  const { line } = await live(hours(6) as number, { isAway })
  expect(await line(hours(6), hours(1))).toEqual([0, 1, null, null, 4, 5])
}, 60_000)
