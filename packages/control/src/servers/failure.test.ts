import { DeadlineError } from '@stead/engine'
import { ProviderError, type ProviderErrorCode, providerErrorCodes } from '@stead/provider-kit'
import { instant, minutes, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { explain, failureAfter, isWorthTelling, Patience, type Stage } from './failure.ts'

const codes = Object.keys(providerErrorCodes) as ProviderErrorCode[]
const inside = 'https://10.1.2.3:8443 account 4711'
const told = (code: ProviderErrorCode, stage: Stage) => explain(new ProviderError(code, inside), stage)!

test.each(codes)('%s is told in words of ours: the backend’s own may name hosts and accounts', code => {
  for (const stage of ['connect', 'launch', 'act'] as const) {
    const { message } = told(code, stage)
    expect(message).not.toMatch(/10\.1|4711/)
    expect(message.length).toBeGreaterThan(10)
  }
})

test('what a launch is refused with stands until something else is wanted; what passes is tried again', () => {
  const standing = codes.filter(code => !told(code, 'launch').retrying)
  expect(standing).toEqual(['NotFound', 'Conflict', 'InvalidConfig', 'Unsupported'])
})

test('a region that cannot be reached, or lets nobody in, is its operator’s to mend: it is tried again', () => {
  for (const code of codes) expect(told(code, 'connect').retrying).toBe(true)
  expect(told('Auth', 'launch')).toMatchObject({ retrying: true, message: expect.stringContaining('operator') })
  expect(told('InvalidConfig', 'connect').message).toContain('operator')
})

test('of something that was launched, what we saw may be old: a conflict passes', () =>
  expect([told('Conflict', 'act').retrying, told('NotFound', 'act').retrying]).toEqual([true, true]))

test('a call without an answer is a region that does not answer; a bug is no failure of it', () => {
  expect(explain(new DeadlineError('launch', seconds(60)), 'launch')).toMatchObject({ code: 'Unavailable' })
  expect(explain(new TypeError('undefined is not a function'), 'launch')).toBeUndefined()
})

test('what mostly passes is told only when it lasts, and nothing is told twice', () => {
  expect([isWorthTelling('Unavailable', 1), isWorthTelling('Unavailable', 2)]).toEqual([false, true])
  expect(isWorthTelling('Capacity', 1)).toBe(true)
  const first = failureAfter(undefined, told('Capacity', 'launch'), instant(1))
  expect(failureAfter(first, told('Capacity', 'launch'), instant(2))).toBe(first)
  expect(failureAfter(first, told('Quota', 'launch'), instant(2))).toMatchObject({ since: 2 })
})

test('waits grow, are longer where room is short, and never shorter than the backend says', () => {
  const world = new VirtualWorld({ seed: 1 })
  const patience = new Patience()
  expect([patience.fail('a'), patience.fail('a'), patience.fail('b')]).toEqual([1, 2, 1])
  patience.forget('a')
  expect(patience.fail('a')).toBe(1)
  const pause = (code: ProviderErrorCode, failures: number) => patience.pause(world, told(code, 'launch'), failures)
  expect(pause('Unavailable', 1)).toBeLessThanOrEqual(seconds(2))
  expect(pause('Unavailable', 1)).toBeGreaterThanOrEqual(seconds(1))
  expect(pause('Capacity', 1)).toBeGreaterThanOrEqual(seconds(5))
  expect(pause('Capacity', 30)).toBeLessThanOrEqual(minutes(5))
  const throttled = explain(new ProviderError('Throttled', '', { retryAfter: minutes(3) }), 'act')!
  expect(patience.pause(world, throttled, 1)).toBe(minutes(3))
})
