import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainService } from '../contract/fixtures.ts'
import type { ServiceLaunch } from '../launch-spec.ts'
import { isRestarted, mayStart, type ServiceProgress } from './order.ts'

const waiting: ServiceProgress = { state: 'waiting' }

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
      const states: Record<string, ServiceProgress> = {}
      for (const name of Object.keys(launches)) states[name] = waiting
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
          states[name] = role === 'init' ? { state: 'exited', exitCode: 0 } : { state: 'running' }
        }
        expect(round).toBeLessThan(20)
      }
    }),
  )
})

test('nothing starts after an init that has not succeeded', () => {
  const launches = { main: plainService('host'), setup: plainService('host', { role: 'init' }) }
  for (const setup of [{ state: 'running' }, { state: 'exited', exitCode: 1 }] as const)
    expect(mayStart(launches, { main: waiting, setup }, () => true)).toEqual([])
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
