import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { days, millis, seconds } from './duration.ts'
import { realWorld } from './real.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a timer longer than setTimeout can hold still waits for its time', () => {
  let fired = 0
  realWorld.setTimer(days(60), () => fired++)
  vi.advanceTimersByTime(days(60) - 1)
  expect(fired).toBe(0)
  vi.advanceTimersByTime(1)
  expect(fired).toBe(1)
})

test('a cancelled timer does not fire, at whatever length', () => {
  const timers = [seconds(1), days(60)].map(delay => realWorld.setTimer(delay, () => expect.unreachable()))
  vi.advanceTimersByTime(500)
  for (const timer of timers) timer.cancel()
  vi.advanceTimersByTime(days(100))
})

test('a sleep ends at its time, or at once with the reason it was aborted for', async () => {
  const slept = realWorld.sleep(seconds(1))
  vi.advanceTimersByTime(seconds(1))
  await slept
  const abort = new AbortController()
  const aborted = realWorld.sleep(seconds(1), abort.signal)
  abort.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  await expect(realWorld.sleep(seconds(1), abort.signal)).rejects.toThrow('enough')
  expect(vi.getTimerCount()).toBe(0)
})

test('a timer for a moment that has passed fires at once, without a warning', async () => {
  vi.useRealTimers()
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warn.mockRestore())
  await new Promise<void>(fired => realWorld.setTimer(millis(-325), fired))
  expect(warn).not.toHaveBeenCalled()
})
