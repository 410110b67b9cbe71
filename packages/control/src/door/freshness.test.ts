import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { DoorEngine } from './engine.ts'
import { Freshness, readRevision } from './freshness.ts'

/** A cache that is as far as it is told. */
const cacheAt = (revision: number, lag = millis(0), loaded = true) =>
  ({
    revision,
    loaded,
    lag: () => lag,
    reached: (_: number, signal: AbortSignal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }) as unknown as DoorEngine['cache']

const world = () => new VirtualWorld({ seed: 1 })

test('a node that is not loaded, or may be more than 5 s behind, answers nobody', () => {
  expect(() => new Freshness(cacheAt(1, seconds(5)), world()).refuseIfBehind()).not.toThrow()
  const refused = expect.objectContaining({ code: 'unavailable', details: { retryAfter: seconds(1) } })
  expect(() => new Freshness(cacheAt(1, millis(5_001)), world()).refuseIfBehind()).toThrow(refused)
  expect(() => new Freshness(cacheAt(1, millis(0), false), world()).refuseIfBehind()).toThrow(refused)
})

test('waiting for a revision ends after 5 s, and not everybody may wait', async () => {
  const virtual = world()
  const freshness = new Freshness(cacheAt(7), virtual)
  await freshness.await(7)
  const late = expect.objectContaining({ code: 'unavailable', message: 'this node has not reached revision 8 yet' })
  const waiting = Array.from({ length: 1_000 }, () => freshness.await(8).catch((error: unknown) => error))
  await expect(freshness.await(8)).rejects.toThrow(late)
  const started = virtual.monotonic()
  await virtual.run(Promise.all(waiting))
  expect(virtual.monotonic() - started).toBe(5_000)
  expect(await waiting[0]).toEqual(late)
})

test.each(['', '-1', '1.5', 'abc', '9'.repeat(16)])('Stead-Revision: %s is refused', header => {
  expect(() => readRevision(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})
