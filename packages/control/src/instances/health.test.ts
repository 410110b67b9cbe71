import { minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { mostTold } from './decide/health.ts'
import { Ideal } from './tests/ideal.ts'
import { observed, servicesSpec, web } from './tests/samples.ts'

const info = (ready: boolean, more: object = {}) => ({ state: 'running' as const, ready, restarts: 0, ...more })

/** One that runs well, with a helper beside it. */
function running() {
  const helper = { ...web, role: 'sidecar' as const }
  const ideal = new Ideal({ spec: servicesSpec({ web, helper }) })
  const fares = (services: Record<string, ReturnType<typeof info>>) => {
    ideal.alter(ideal.active!, {
      observed: { ...observed('running'), services: { web: info(true), helper: info(true), ...services } },
    })
    ideal.settle()
  }
  ideal.ask('create')
  ideal.settle()
  fares({})
  ideal.told.length = 0
  return { ideal, fares }
}

test('how it fares is told when that changes, with the reason', () => {
  const { ideal, fares } = running()
  fares({ helper: info(false, { reason: 'nothing listens on port 80' }) })
  expect(ideal.told).toEqual(['ServiceNotReady', 'Degraded'])
  fares({ web: info(false), helper: info(false) })
  expect(ideal.told.slice(2)).toEqual(['ServiceNotReady', 'Unhealthy'])
  ideal.pass(minutes(11))
  fares({})
  expect(ideal.told.slice(4)).toEqual(['ServiceReady', 'ServiceReady', 'Healthy'])
})

test('a service that was started again is told, with how often', () => {
  const { ideal, fares } = running()
  fares({ helper: info(true, { restarts: 2, exitCode: 1 }) })
  expect(ideal.told).toEqual(['ServiceRestarted'])
})

test('a start, a stop and a restart say nothing of health', () => {
  const { ideal } = running()
  ideal.ask('stop', { spec: { power: 'off' } })
  ideal.settle()
  ideal.ask('start', { spec: { power: 'on' } })
  ideal.settle()
  expect(ideal.told.filter(reason => /Health|healthy|Service/.test(reason))).toEqual([])
})

test('what comes and goes all the time is told a few times, then that it does, and how it ended', () => {
  const { ideal, fares } = running()
  for (let n = 0; n < 100; n++) {
    ideal.pass(seconds(3))
    fares(n % 2 === 0 ? { web: info(false) } : {})
  }
  expect(ideal.told.length).toBeLessThanOrEqual(mostTold + 2)
  expect(ideal.told.at(-1)).toBe('HealthFlapping')
  const decision = ideal.step()
  expect(decision.again?.after).toBeGreaterThan(0)
  ideal.pass(minutes(10))
  ideal.settle()
  expect(ideal.told.at(-1)).toBe('Healthy')
  expect(ideal.step().actions).toEqual([])
})
