import { hours, minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { House } from '../tests/house.ts'
import { widget } from '../tests/widgets.ts'

test('the log keeps at least so many entries and so much time, whichever is more', async () => {
  const house = new House()
  await house.start({ retention: { logEntries: 10, logAge: minutes(10) } })
  for (let i = 0; i < 30; i++) await house.commit(set => set.create(widget(`w${i}`)))
  await house.world.runFor(minutes(5))
  expect(await house.world.run(house.store.compacted())).toBe(0)
  await house.world.runFor(minutes(7))
  expect(await house.world.run(house.store.compacted())).toBe(20)
  await house.world.runFor(hours(2))
  expect(await house.world.run(house.store.compacted())).toBe(20)
})

test('many outcomes are forgotten in small steps', async () => {
  const house = new House()
  for (let i = 0; i < 2_500; i++) await house.commit(set => set.take(`key/${i}`, 'a'))
  await house.start({ retention: { outcomes: seconds(1) } })
  await house.world.runFor(minutes(1))
  expect(house.store.calls.expireOutcomes).toBeGreaterThanOrEqual(3)
  expect(house.store.calls.compact).toBeUndefined()
})

test('measurements are kept as long as their track is', async () => {
  const house = new House()
  await house.start({ retention: { series: { fine: minutes(20) } } })
  const start = house.world.now() as number
  const piece = (track: string) => ({ subject: 's', track, start, data: 'x' })
  await house.world.run(house.store.series.put([piece('fine'), piece('coarse')]))
  const count = async (track: string) =>
    (await house.world.run(house.store.series.read({ subjects: ['s'], track, from: 0, before: start + 1 }))).length
  await house.world.runFor(minutes(19))
  expect(await count('fine')).toBe(1)
  await house.world.runFor(minutes(3))
  expect([await count('fine'), await count('coarse')]).toEqual([0, 1])
})

test('outcomes and records are kept as long as they are said to be', async () => {
  const house = new House()
  const { engine } = await house.start({ retention: { outcomes: minutes(20), records: { events: minutes(40) } } })
  const set = changeSet(house.world)
    .create(widget('a'))
    .record({ table: 'events', subject: 'a', scope: 'p', body: 1 })
    .record({ table: 'audit', subject: 'a', scope: 'p', body: 2 })
  await house.world.run(engine.commit(set))
  const isKnown = async () => (await house.world.run(house.store.outcome(set.id))) !== undefined
  const count = async (table: string) =>
    (await house.world.run(house.store.records({ table, scope: 'p', limit: 10 }))).length
  await house.world.runFor(minutes(19))
  expect(await isKnown()).toBe(true)
  await house.world.runFor(minutes(2))
  expect(await isKnown()).toBe(false)
  await house.world.runFor(minutes(18))
  expect([await count('events'), await count('audit')]).toEqual([1, 1])
  await house.world.runFor(minutes(2))
  expect([await count('events'), await count('audit')]).toEqual([0, 1])
})

test('one node does it, whichever holds the lease', async () => {
  const house = new House()
  const first = await house.start()
  const second = await house.start()
  await house.world.runFor(minutes(10))
  const before = house.store.calls.revisionAt!
  await house.world.runFor(minutes(10))
  const inTenMinutes = house.store.calls.revisionAt! - before
  expect(inTenMinutes).toBeGreaterThanOrEqual(16)
  expect(inTenMinutes).toBeLessThanOrEqual(27)
  await house.world.run(first.engine.stop())
  await house.world.runFor(minutes(2))
  expect(house.store.calls.revisionAt! - before).toBeGreaterThan(inTenMinutes)
  await house.world.run(second.engine.stop())
})
