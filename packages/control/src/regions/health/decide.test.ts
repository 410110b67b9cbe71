import { type Capabilities, type ProviderErrorCode, providerErrorCodes } from '@stead/provider-kit'
import { instant, millis, seconds } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RegionStatus, unseenStatus } from '../model.ts'
import { type Check, decideHealth } from './decide.ts'

const capabilities: Capabilities = {
  sources: ['machine'],
  launch: { idempotency: { mode: 'token' } },
  consistency: { describe: millis(0), list: millis(0) },
  groups: { reboot: { soft: true }, console: {} },
  notes: ['shares a kernel'],
}
const answered: Check = { type: 'answered', capabilities }
const failed = (code: ProviderErrorCode, retryAfter?: number): Check => ({
  type: 'failed',
  code,
  retryAfter: retryAfter === undefined ? undefined : seconds(retryAfter),
})
const now = instant(1_000)
const decide = (status: RegionStatus, check: Check, failures = 1) =>
  decideHealth({ status, check, failures, now, random: 0.5 })

const healthy = decide(unseenStatus, answered, 0).status!
const ill = decide(unseenStatus, failed('Unavailable')).status!

test('a backend that answers is healthy, with what it can do', () => {
  expect(healthy).toEqual({
    health: 'healthy',
    since: '1970-01-01T00:00:01.000Z',
    sources: ['machine'],
    capabilities: ['reboot', 'console'],
    notes: ['shares a kernel'],
  })
  expect(decide(ill, answered, 0)).toMatchObject({ turned: true, status: { health: 'healthy' } })
  expect(decide(ill, answered, 0).status).not.toHaveProperty('reason')
})

test('one lost answer makes nobody ill, the second does; nobody waits for a second refusal of credentials', () => {
  expect(decide(healthy, failed('Unavailable'), 1)).toMatchObject({ turned: false })
  expect(decide(healthy, failed('Unavailable'), 1)).not.toHaveProperty('status')
  expect(decide(healthy, failed('Unavailable'), 2)).toMatchObject({ turned: true, status: { health: 'unhealthy' } })
  expect(decide(healthy, failed('Auth'), 1)).toMatchObject({ turned: true, status: { health: 'unhealthy' } })
})

test('what it could do is still known while it is ill', () =>
  expect(decide(healthy, failed('Auth')).status).toMatchObject({ capabilities: ['reboot', 'console'] }))

test('a backend that asks for patience is not ill, and gets it', () =>
  expect(decide(healthy, failed('Throttled', 90))).toEqual({ turned: false, after: seconds(90) }))

const anyCode = fc.constantFrom(...(Object.keys(providerErrorCodes) as ProviderErrorCode[]))
const anyCheck = fc.oneof(
  fc.constant(answered),
  anyCode.map(code => failed(code)),
)
const anyStatus = fc.constantFrom(unseenStatus, healthy, ill)

test('the same answer again writes nothing', () =>
  fc.assert(
    fc.property(anyStatus, anyCheck, fc.integer({ min: 1, max: 50 }), (status, check, failures) => {
      const first = decide(status, check, failures).status ?? status
      expect(decide(first, check, failures + 1)).toMatchObject({ turned: first === status ? expect.anything() : false })
      const settled = decide(first, check, failures + 1).status ?? first
      expect(decide(settled, check, failures + 2).status).toBeUndefined()
    }),
  ))

test('it is asked again within a minute or so, and less often the longer it fails', () =>
  fc.assert(
    fc.property(anyStatus, anyCheck, fc.integer({ min: 1, max: 1_000 }), (status, check, failures) => {
      const { after } = decide(status, check, failures)
      expect(after).toBeGreaterThanOrEqual(1_000)
      expect(after).toBeLessThanOrEqual(60_000)
      if (failures > 1) expect(after).toBeGreaterThanOrEqual(decide(status, check, failures - 1).after)
    }),
  ))

test('since moves with health alone', () => {
  const later = decideHealth({ status: ill, check: failed('Auth'), failures: 3, now: instant(9_000), random: 0 })
  expect(later).toMatchObject({ turned: false, status: { since: ill.since } })
  expect(later.status!.reason).not.toBe(ill.reason)
})
