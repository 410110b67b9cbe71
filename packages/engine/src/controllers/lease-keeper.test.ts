import { type Duration, millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { InProcessStore } from '../tests/in-process-store.ts'
import { LeaseKeeper } from './lease-keeper.ts'

/** A keeper whose questions and answers take as long as `delay` says. */
function newKeeper() {
  const world = new VirtualWorld({ seed: 1 })
  const node = world.node()
  const { leases } = new InProcessStore(world)
  const delay = { there: seconds(0), back: seconds(0) }
  const slowly = async <T>(ask: () => Promise<T>): Promise<T> => {
    await world.sleep(delay.there)
    const answer = await ask()
    await world.sleep(delay.back)
    return answer
  }
  const lost: string[] = []
  const keeper = new LeaseKeeper({
    leases: {
      acquire: request => slowly(() => leases.acquire(request)),
      renew: request => slowly(() => leases.renew(request)),
      release: released => slowly(() => leases.release(released)),
      list: () => leases.list(),
    },
    world: node,
    holder: 'me',
    ttl: seconds(15),
    margin: seconds(1),
    onLost: names => lost.push(...names),
  })
  const steal = async (name: string, ttl: Duration = seconds(15)) =>
    (await world.run(leases.acquire({ names: [name], holder: 'thief', ttl }))).length === 1
  return { world, node, keeper, delay, lost, steal }
}

test('a lease counts from when it was asked for, not from when the answer came', async () => {
  const { world, node, keeper, delay } = newKeeper()
  delay.there = seconds(2)
  delay.back = seconds(3)
  const sent = node.monotonic()
  const [lease] = await world.run(keeper.acquire(['a']))
  expect(lease!.validUntil).toBe(sent + 14_000)
  const again = node.monotonic()
  await world.run(keeper.renew())
  expect(keeper.holding('a')!.validUntil).toBe(again + 14_000)
})

test('it is over here before anybody else can have it', async () => {
  const { world, keeper, lost, steal } = newKeeper()
  await world.run(keeper.acquire(['a']))
  while (keeper.holding('a')) {
    expect(await steal('a')).toBe(false)
    await world.runFor(millis(10))
  }
  expect(lost).toEqual(['a'])
  await world.runFor(seconds(1))
  expect(await steal('a')).toBe(true)
})

test('one that ran out while its renewal was under way is lost, whatever the answer says, and can be had again', async () => {
  const { world, keeper, delay, lost } = newKeeper()
  await world.run(keeper.acquire(['a', 'b']))
  await world.runFor(seconds(10))
  delay.back = seconds(6)
  const renewing = keeper.renew()
  await world.runFor(seconds(5))
  expect(lost).toEqual(['a', 'b'])
  await world.run(renewing)
  expect(keeper.names()).toEqual([])
  delay.back = millis(0)
  const back = await world.run(keeper.acquire(['a']))
  expect(back).toMatchObject([{ name: 'a', fence: 1 }])
})

test('one that was seen to be over is told as lost, even if a renewal comes before the timer', async () => {
  const { world, node, keeper, delay, lost } = newKeeper()
  await world.run(keeper.acquire(['a']))
  await world.runFor(seconds(10))
  delay.back = millis(4_500)
  const renewing = keeper.renew()
  // The node's own timers stand still; the answer does not.
  node.stall(seconds(20))
  await world.runFor(millis(4_200))
  expect(keeper.holding('a')).toBeUndefined()
  expect(lost).toEqual([])
  await world.run(renewing)
  expect(lost).toEqual(['a'])
})

test('an answer that is older than the lease gives nothing', async () => {
  const { world, keeper, delay } = newKeeper()
  delay.back = seconds(20)
  expect(await world.run(keeper.acquire(['a']))).toEqual([])
  expect(keeper.holding('a')).toBeUndefined()
})

test('taken by another in between, it is lost first and then gained with a new fence', async () => {
  const { world, keeper, lost, steal } = newKeeper()
  await world.run(keeper.acquire(['a']))
  await world.runFor(seconds(16))
  expect(await steal('a', seconds(5))).toBe(true)
  await world.run(keeper.renew())
  expect(lost).toEqual(['a'])
  expect(await world.run(keeper.acquire(['a']))).toEqual([])
  await world.runFor(seconds(6))
  expect(await world.run(keeper.acquire(['a']))).toMatchObject([{ name: 'a', fence: 3 }])
})

test('released, it is not held from that moment on, even if the store hears of it late', async () => {
  const { world, keeper, delay, steal } = newKeeper()
  await world.run(keeper.acquire(['a', 'b']))
  delay.there = seconds(2)
  const releasing = keeper.release(['a', 'unknown'])
  expect(keeper.holding('a')).toBeUndefined()
  expect(keeper.holding('b')).toBeDefined()
  expect(await steal('a')).toBe(false)
  await world.run(releasing)
  expect(await steal('a')).toBe(true)
})

test('a release that arrives late takes nothing away that was taken again since', async () => {
  const { world, keeper, delay, steal } = newKeeper()
  await world.run(keeper.acquire(['a']))
  delay.there = seconds(8)
  const releasing = keeper.release(['a'])
  delay.there = millis(0)
  await world.runFor(seconds(1))
  expect(await world.run(keeper.acquire(['a']))).toMatchObject([{ name: 'a', fence: 1 }])
  await world.run(releasing)
  expect(keeper.holding('a')).toBeDefined()
  expect(await steal('a')).toBe(false)
})
