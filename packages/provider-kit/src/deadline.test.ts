import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { promptly, withDeadline } from './deadline.ts'

test('an aborted wait ends at once, and what the work makes later is not lost', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const start = world.time
  const abort = new AbortController()
  const late: string[] = []
  const work = world.sleep(seconds(5)).then(() => 'srv-1')
  world.setTimer(millis(10), () => abort.abort(new Error('cancelled')))
  await expect(world.run(promptly(work, abort.signal, id => late.push(id)))).rejects.toThrow('cancelled')
  expect(world.time - start).toBe(10)
  expect(late).toEqual([])
  await world.runUntilIdle()
  expect(late).toEqual(['srv-1'])
})

test('an answer that comes in time is not late', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const abort = new AbortController()
  const late: string[] = []
  expect(await world.run(promptly(Promise.resolve('srv-1'), abort.signal, id => late.push(id)))).toBe('srv-1')
  abort.abort()
  await world.runUntilIdle()
  expect(late).toEqual([])
})

test('a deadline tells the call to stop and the caller that it may have happened', async () => {
  const world = new VirtualWorld({ seed: 1 })
  let told: AbortSignal | undefined
  const never = (signal: AbortSignal) => {
    told = signal
    return new Promise<never>(() => {})
  }
  const call = world.run(() => withDeadline(world, seconds(2), never))
  await expect(call).rejects.toMatchObject({ code: 'Unavailable', retryable: true })
  expect(told!.aborted).toBe(true)
  expect(world.pending).toBe(0)
})

test('a call that answers leaves no timer, and the outer signal still counts', async () => {
  const world = new VirtualWorld({ seed: 1 })
  expect(await world.run(() => withDeadline(world, seconds(2), async () => 7))).toBe(7)
  expect(world.pending).toBe(0)
  const outer = AbortSignal.abort(new Error('shutting down'))
  await expect(
    world.run(() => withDeadline(world, seconds(2), s => world.sleep(seconds(1), s), outer)),
  ).rejects.toThrow('shutting down')
})
