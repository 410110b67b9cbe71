import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { ProviderError } from './errors.ts'
import { patientRetry, retrying } from './retry.ts'

/** Fails with these errors, one call each, then answers. Notes when it was called. */
function failing(world: VirtualWorld, ...errors: unknown[]) {
  const calls: number[] = []
  const start = world.time
  return {
    calls,
    call: async () => {
      calls.push(world.time - start)
      const error = errors.shift()
      if (error) throw error
      return 'done'
    },
  }
}

const unavailable = () => new ProviderError('Unavailable', 'no answer')

test('a retryable error is tried again, later each time', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const backend = failing(world, unavailable(), unavailable(), unavailable())
  expect(await world.run(() => retrying(world, backend.call))).toBe('done')
  const waits = backend.calls.slice(1).map((at, i) => at - backend.calls[i]!)
  expect(waits).toHaveLength(3)
  waits.forEach((wait, i) => {
    expect(wait).toBeGreaterThanOrEqual(100 * 2 ** i)
    expect(wait).toBeLessThanOrEqual(200 * 2 ** i)
  })
})

test('what cannot get better is not tried again', async () => {
  const world = new VirtualWorld({ seed: 1 })
  for (const error of [new ProviderError('InvalidConfig', 'no such image'), new TypeError('a bug')]) {
    const backend = failing(world, error)
    await expect(world.run(() => retrying(world, backend.call))).rejects.toBe(error)
    expect(backend.calls).toHaveLength(1)
  }
})

test('the time the backend asks for is given', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const backend = failing(world, new ProviderError('Throttled', 'slow down', { retryAfter: seconds(7) }))
  await world.run(() => retrying(world, backend.call))
  expect(backend.calls[1]).toBe(7_000)
})

test('it gives up when its attempts or its budget are used', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const often = failing(world, ...Array.from({ length: 9 }, unavailable))
  await expect(world.run(() => retrying(world, often.call))).rejects.toThrow('no answer')
  expect(often.calls).toHaveLength(patientRetry.attempts)
  const long = failing(world, new ProviderError('Capacity', 'full', { retryAfter: seconds(61) }))
  await expect(world.run(() => retrying(world, long.call))).rejects.toThrow('full')
  expect(long.calls).toHaveLength(1)
})

test('a signal ends the wait', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const abort = new AbortController()
  world.setTimer(millis(50), () => abort.abort(new Error('enough')))
  const backend = failing(world, unavailable())
  await expect(world.run(() => retrying(world, backend.call, { signal: abort.signal }))).rejects.toThrow('enough')
})
