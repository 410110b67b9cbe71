import { minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { House, metric, readWidget, type TestNode } from '../tests/house.ts'
import { type Widget, widget, widgets } from '../tests/widgets.ts'
import { findCondition } from '../words/condition.ts'
import { again, done, park, type Result } from '../words/result.ts'
import { controller, type ReconcileContext } from './controller.ts'

const calling = (reconcile: (widget: Widget, context: ReconcileContext) => Promise<Result>) =>
  controller<Widget>({ name: 'widgets', kind: widgets, reconcile })

const make = { name: 'make', mutates: true, deadline: seconds(5) }
const look = { name: 'look', mutates: false, deadline: seconds(5) }

const parkedAs = (node: TestNode, id: string) =>
  findCondition(readWidget(node, id)!.status.conditions, 'Parked')?.reason

test('a call is counted and measured, and its answer handed back', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const answers: string[] = []
  const node = await house.start({
    controllers: [
      calling(async (_widget, { outside, world }) => {
        answers.push(
          await outside(look, async () => {
            await world.sleep(seconds(2))
            return 'there'
          }),
        )
        return done
      }),
    ],
  })
  await house.world.runFor(seconds(3))
  expect(answers).toEqual(['there'])
  expect(metric(node, 'stead_outside_calls_total{call="look",result="done"}')).toBe(1)
  expect(metric(node, 'stead_outside_duration_seconds_sum{call="look"}')).toBeCloseTo(2)
})

test('a call that does not listen is over at its deadline, and the key is tried again', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const ends: { at: number; error: string }[] = []
  let start = 0
  const node = await house.start({
    controllers: [
      calling(async (_widget, { outside, world }) => {
        start ||= world.monotonic()
        await outside(look, () => new Promise(() => {})).catch(error => {
          ends.push({ at: Math.round(world.monotonic() - start), error: error.message })
          throw error
        })
        return done
      }),
    ],
  })
  await house.world.runFor(seconds(8))
  expect(ends).toEqual([{ at: 5_000, error: 'look did not end within 5s' }])
  expect(metric(node, 'stead_outside_calls_total{call="look",result="deadline"}')).toBe(1)
  expect(metric(node, 'stead_reconciles_total{controller="widgets",result="retry"}')).toBe(1)
})

test('no call outlives the lease: it is told to end before another node can have taken the shard', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const told: { at: number; reason: string }[] = []
  const start = house.world.time
  await house.start({
    controllers: [
      calling(async (_widget, { outside }) => {
        await outside({ ...make, deadline: minutes(10) }, signal => {
          signal.addEventListener('abort', () =>
            told.push({ at: house.world.time - start, reason: signal.reason.name }),
          )
          return new Promise(() => {})
        })
        return done
      }),
    ],
  })
  // Renewals keep the call alive for longer than any single lease …
  await house.world.runFor(seconds(40))
  expect(told).toEqual([])
  // … and when they stop, it ends before the lease does.
  const leases = await house.world.run(house.store.leases.list())
  const leaseEnds = house.world.time - start + leases.find(({ name }) => name === 'shard/0')!.remaining
  house.store.goAway()
  await house.world.runFor(seconds(20))
  expect(told).toMatchObject([{ reason: 'ShardLostError' }])
  expect(told[0]!.at).toBeLessThan(leaseEnds)
  expect(told[0]!.at).toBeGreaterThan(leaseEnds - 1_100)
})

test('a process that slept through its lease makes no call', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const node = house.world.node()
  const outcomes: string[] = []
  await house.start(
    {
      controllers: [
        calling(async (_widget, { outside, world }) => {
          await world.sleep(seconds(1))
          await outside(make, async () => outcomes.push('called')).catch(error => {
            outcomes.push(error.name)
            throw error
          })
          return again(minutes(60), 'enough')
        }),
      ],
    },
    node,
  )
  node.stall(seconds(60))
  await house.world.runFor(seconds(65))
  expect(outcomes[0]).toBe('ShardLostError')
  // Once it holds the shard again, it does.
  expect(outcomes.at(-1)).toBe('called')
})

test('a store that only observes looks but does not touch, until it is resumed', async () => {
  const house = new House()
  house.store.identity = { ...house.store.identity, observeOnly: true }
  await house.commit(set => set.create(widget('a')))
  const calls: string[] = []
  const node = await house.start({
    controllers: [
      calling(async (_widget, { outside, observeOnly }) => {
        await outside(look, async () => calls.push(`look ${observeOnly}`))
        await outside(make, async () => calls.push('make'))
        return again(minutes(60), 'enough')
      }),
    ],
  })
  await house.world.runFor(seconds(10))
  expect(calls).toEqual(['look true'])
  expect(parkedAs(node, 'a')).toBe('ObserveOnly')
  expect(metric(node, 'stead_outside_calls_total{call="make",result="refused"}')).toBe(1)
  await house.world.run(node.engine.resume())
  await house.world.runFor(seconds(1))
  expect(calls).toEqual(['look true', 'look false', 'make'])
  expect(parkedAs(node, 'a')).toBeUndefined()
})

test('a store resumed by somebody else is noticed', async () => {
  const house = new House()
  house.store.identity = { ...house.store.identity, observeOnly: true }
  await house.commit(set => set.create(widget('a')))
  const calls: string[] = []
  await house.start({
    controllers: [
      calling(async (_widget, { outside }) => {
        await outside(make, async () => calls.push('make'))
        return again(minutes(60), 'enough')
      }),
    ],
  })
  await house.world.run(house.store.resume())
  await house.world.runFor(seconds(6))
  expect(calls).toEqual(['make'])
})

test('what is parked at the very moment of a resume is looked at again', async () => {
  const house = new House()
  house.store.identity = { ...house.store.identity, observeOnly: true }
  await house.commit(set => set.create(widget('a')))
  const calls: string[] = []
  await house.start({
    controllers: [
      calling(async (_widget, { outside, observeOnly, world }) => {
        if (observeOnly) {
          await house.store.resume()
          // Long enough for the resume to be noticed, and those that wait for it to be woken.
          await world.sleep(seconds(10))
          return park('ObserveOnly', 'until it is resumed')
        }
        await outside(make, async () => calls.push('make'))
        return again(minutes(60), 'enough')
      }),
    ],
  })
  await house.world.runFor(seconds(15))
  expect(calls).toEqual(['make'])
})
