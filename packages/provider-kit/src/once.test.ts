import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { ProviderError } from './errors.ts'
import { type Create, createByName, SearchedCreates } from './once.ts'
import { createToken } from './tokens.ts'

interface Thing {
  readonly id: number
  readonly token: string
  readonly fingerprint: string
  readonly visibleAt: number
}

/** A backend that knows no tokens; what it makes is found only after `lag`. */
function backend(world: VirtualWorld, options: { lag?: number; uniqueNames?: boolean; loseReplies?: number } = {}) {
  const things: Thing[] = []
  let losing = options.loseReplies ?? 0
  const create = (token: string, fingerprint = 'x'): Create<number> => ({
    token: createToken(token),
    fingerprint,
    async find(signal) {
      await world.sleep(millis(5), signal)
      const found = things.find(thing => thing.token === token && thing.visibleAt <= world.time)
      return found && { value: found.id, fingerprint: found.fingerprint }
    },
    async make() {
      await world.sleep(millis(20))
      if (options.uniqueNames && things.some(thing => thing.token === token))
        throw new ProviderError('Conflict', 'name taken')
      things.push({ id: things.length + 1, token, fingerprint, visibleAt: world.time + (options.lag ?? 0) })
      if (losing-- > 0) throw new ProviderError('Unavailable', 'connection reset')
      return things.length
    },
  })
  return { things, create }
}

test('by search: what a lost reply hid is found again', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { things, create } = backend(world, { lag: 900, loseReplies: 1 })
  const creates = new SearchedCreates<number>(world, seconds(1))
  await expect(world.run(creates.once(create('a'), { fresh: true }))).rejects.toThrow('connection reset')
  expect(await world.run(creates.once(create('a')))).toBe(1)
  expect(things).toHaveLength(1)
})

test('by search: a token never sent before need not wait', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { create } = backend(world)
  const creates = new SearchedCreates<number>(world, seconds(60))
  const start = world.time
  await world.run(creates.once(create('a'), { fresh: true }))
  expect(world.time - start).toBe(20)
})

test('by search: callers in one process share one create, and each may leave on its own', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { things, create } = backend(world, { lag: 0 })
  const creates = new SearchedCreates<number>(world, seconds(1))
  const leave = new AbortController()
  const first = creates.once(create('a'), { signal: leave.signal })
  const second = creates.once(create('a'))
  leave.abort(new Error('left'))
  await expect(first).rejects.toThrow('left')
  expect(await world.run(second)).toBe(1)
  await expect(creates.once(create('a'), { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early')
  expect(things).toHaveLength(1)
})

test('by search: when everybody left before it was sent, nothing is made', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { things, create } = backend(world)
  const creates = new SearchedCreates<number>(world, seconds(1))
  const leave = new AbortController()
  const waiting = creates.once(create('a'), { signal: leave.signal })
  world.setTimer(millis(500), () => leave.abort(new Error('left')))
  await expect(world.run(waiting)).rejects.toThrow('left')
  await world.runUntilIdle()
  expect(things).toEqual([])
})

test('by search: the same token for something else is a conflict, also while the first is under way', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { create } = backend(world)
  const creates = new SearchedCreates<number>(world, millis(50))
  const first = creates.once(create('a', 'x'))
  await expect(creates.once(create('a', 'y'))).rejects.toMatchObject({ code: 'Conflict' })
  await world.run(first)
  await expect(world.run(creates.once(create('a', 'y')))).rejects.toMatchObject({ code: 'Conflict' })
})

test('by name: the second of two is the first, if it is the same', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { things, create } = backend(world, { uniqueNames: true })
  const both = Promise.all([createByName(create('a')), createByName(create('a'))])
  expect(await world.run(both)).toEqual([1, 1])
  expect(things).toHaveLength(1)
  await expect(world.run(createByName(create('a', 'y')))).rejects.toMatchObject({ code: 'Conflict', retryable: false })
})

test('by name: taken but not to be seen is something that passes', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { create } = backend(world, { uniqueNames: true, lag: 500 })
  await world.run(createByName(create('a')))
  await expect(world.run(createByName(create('a')))).rejects.toMatchObject({ code: 'Unavailable', retryable: true })
  await world.runFor(millis(600))
  expect(await world.run(createByName(create('a')))).toBe(1)
})

test('by name: a conflict about something else is no sign of a taken name', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { create } = backend(world, { uniqueNames: true })
  const refused = new ProviderError('Conflict', 'its address is taken')
  const make = () => Promise.reject(refused)
  await expect(createByName({ ...create('a'), make, isTaken: () => false })).rejects.toBe(refused)
})
