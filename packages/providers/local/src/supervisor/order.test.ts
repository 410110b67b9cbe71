import type { ServiceLaunch } from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoff, isRestarted, mayStart } from './order.ts'
import { initialService, type ServiceState } from './state.ts'

/** Services that depend only on those before them, as a launch that was let in does. */
const anyServices = fc
  .array(fc.tuple(fc.constantFrom('init', 'sidecar'), fc.array(fc.nat(20), { maxLength: 3 })), { maxLength: 6 })
  .map(rows => {
    const names = ['main', ...rows.map((_, index) => `s${index}`)]
    const launches: Record<string, ServiceLaunch> = { main: plainService('host') }
    for (const [index, [role, picks]] of rows.entries()) {
      const before = names.slice(1, index + 1)
      const dependsOn = before.length === 0 ? [] : [...new Set(picks.map(pick => before[pick % before.length]!))]
      launches[`s${index}`] = plainService('host', { role: role as 'init' | 'sidecar', dependsOn })
    }
    return launches
  })

test('everything starts in the end, inits one at a time and before the rest, nothing before what it depends on', () => {
  fc.assert(
    fc.property(anyServices, launches => {
      const states: Record<string, ServiceState> = {}
      for (const name of Object.keys(launches)) states[name] = initialService
      const isReady = (name: string) => states[name]?.state === 'running'
      const isDone = (name: string) => isReady(name) || states[name]?.state === 'exited'
      for (let round = 0; Object.values(states).some(({ state }) => state === 'waiting'); round++) {
        const next = mayStart(launches, states, isReady)
        expect(next.length).toBeGreaterThan(0)
        const inits = next.filter(name => launches[name]!.role === 'init')
        expect(inits.length === 0 || next.length === 1).toBe(true)
        for (const name of next) {
          const { role, dependsOn } = launches[name]!
          expect(dependsOn.filter(other => role !== 'init' || launches[other]!.role === 'init').every(isDone)).toBe(
            true,
          )
          states[name] =
            role === 'init' ? { state: 'exited', exitCode: 0, restarts: 0 } : { state: 'running', restarts: 0 }
        }
        expect(round).toBeLessThan(20)
      }
    }),
  )
})

test('nothing starts after an init that has not succeeded', () => {
  const launches = { main: plainService('host'), setup: plainService('host', { role: 'init' }) }
  for (const setup of [
    { state: 'running', restarts: 0 },
    { state: 'exited', exitCode: 1, restarts: 0 },
  ] as const)
    expect(mayStart(launches, { main: initialService, setup }, () => true)).toEqual([])
})

test.each([
  ['always', 0, true],
  ['always', 1, true],
  ['onFailure', 0, false],
  ['onFailure', 1, true],
  ['onFailure', undefined, true],
  ['never', 1, false],
] as const)('restart %s after code %s: %s', (restart, code, expected) => {
  expect(isRestarted(plainService('host', { restart }), code)).toBe(expected)
})

test('an init that succeeded is not started again, whatever its policy', () => {
  expect(isRestarted(plainService('host', { role: 'init', restart: 'always' }), 0)).toBe(false)
})

test('waiting doubles up to a minute', () => {
  expect([0, 1, 2, 3].map(backoff)).toEqual([250, 500, 1_000, 2_000])
  expect(backoff(1_000)).toBe(60_000)
})
