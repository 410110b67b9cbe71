import { serverStates } from '@stead/provider-kit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Server } from '../servers/model.ts'
import { isWell, phaseBy, project, seen } from './project.ts'
import { anInstance, aServer, machineSpec, now, observed, servicesSpec, web } from './tests/samples.ts'

const applied = { launch: 'launch-1', power: 'on', restart: 0, rebuild: 0 } as const
const failure = { code: 'InvalidConfig', message: 'no', retrying: false, since: now } as const
const unmade = { ...aServer().status, backendId: undefined, observed: undefined } as unknown as Server['status']

describe('a phase', () => {
  const phase = (server: Server, seenUp = true) =>
    phaseBy(server, anInstance({ status: { phase: 'running', ...(seenUp && { seenUp: 'srv_1' }) } }))
  const state = (name: Parameters<typeof observed>[0], more: object = {}, spec: object = {}) =>
    aServer({ status: { observed: observed(name), ...more }, spec })

  test.each([
    ['nothing is there yet', { ...aServer(), status: unmade }, 'provisioning'],
    ['it was refused for good', { ...aServer(), status: { ...unmade, failure } }, 'failed'],
    [
      'it is tried again',
      { ...aServer(), status: { ...unmade, failure: { ...failure, retrying: true } } },
      'provisioning',
    ],
    ['it is gone', state('running', { lost: { at: now, reason: 'gone' } }), 'failed'],
    ['it boots again', state('pending'), 'starting'],
    ['it runs', state('running'), 'running'],
    ['it runs and is to stop', state('running', {}, { power: 'off' }), 'stopping'],
    ['it runs and is to restart', state('running', {}, { restart: { sequence: 1, hard: false } }), 'starting'],
    [
      'it was started behind our back',
      state('running', { applied: { ...applied, power: 'off' } }, { power: 'off' }),
      'running',
    ],
    ['it stops', state('stopping'), 'stopping'],
    ['it died', state('stopped'), 'stopped'],
    ['it died and is to restart', state('stopped', {}, { restart: { sequence: 1, hard: false } }), 'starting'],
    ['it stopped as told', state('stopped', { applied: { ...applied, power: 'off' } }, { power: 'off' }), 'stopped'],
    ['a start came before its stop was noted', state('stopped', { powering: 'off' }), 'starting'],
    ['that start is under way', state('stopped', { powering: 'on' }), 'starting'],
    ['it is to start', state('stopped', { applied: { ...applied, power: 'off' } }), 'starting'],
    ['nobody knows', state('unknown'), 'running'],
    ['it ends by itself', state('terminating'), 'running'],
  ] as const)('where %s', (_, server, expected) => expect(phase(server as Server)).toBe(expected))

  test('of a first boot is provisioning', () => expect(phase(state('pending'), false)).toBe('provisioning'))
})

describe('what ended by itself', () => {
  const ended = (restart: 'always' | 'onFailure' | 'never', exitCode: number) =>
    seen(
      aServer({
        status: {
          observed: observed('stopped', {
            stateReason: `main exited with ${exitCode}`,
            services: { web: { state: 'exited', ready: false, restarts: 0, exitCode } },
          }),
        },
      }),
      anInstance({ spec: servicesSpec({ web: { ...web, restart } }) }),
    )
  test.each([
    ['never', 0, 'finished'],
    ['onFailure', 0, 'finished'],
    ['always', 0, 'died'],
    ['never', 1, 'failed'],
    ['onFailure', 1, 'died'],
    ['always', 1, 'died'],
  ] as const)('with policy %s and code %i has %s', (restart, code, why) =>
    expect(ended(restart, code)).toMatchObject({ type: 'down', why }),
  )
})

test('what is not known is never shown as known', () => {
  fc.assert(
    fc.property(fc.constantFrom(...serverStates), state => {
      const { power, health } = project(aServer({ status: { observed: observed(state) } }), anInstance())
      expect(power).toBe({ running: 'on', stopping: 'on', stopped: 'off' }[state as string] ?? 'unknown')
      if (state !== 'running') expect(health).toBe('unknown')
    }),
  )
  expect(project(undefined, anInstance())).toMatchObject({ power: 'unknown', health: 'unknown', endpoints: [] })
})

describe('health', () => {
  const info = (health?: 'healthy' | 'unhealthy' | 'unknown', ready = true) =>
    ({ state: 'running', ready, restarts: 0, ...(health && { health }) }) as const
  const spec = servicesSpec({ web, side: { role: 'sidecar', image: 'x' }, setup: { role: 'init', image: 'x' } })
  const health = (services: Record<string, ReturnType<typeof info>>) =>
    project(aServer({ status: { observed: observed('running', { services }) } }), anInstance({ spec })).health

  test('is what the main service is, and what the others spoil', () => {
    expect(health({ web: info('healthy'), side: info() })).toBe('healthy')
    expect(health({ web: info('healthy'), side: info('unhealthy') })).toBe('degraded')
    expect(health({ web: info('unhealthy'), side: info() })).toBe('unhealthy')
    expect(health({ web: info('unknown'), side: info() })).toBe('unknown')
    expect(health({ web: info(undefined, false), side: info() })).toBe('unhealthy')
    expect(health({ side: info() })).toBe('unknown')
  })

  test('of a machine is not known, and enough', () => {
    const machine = anInstance({ spec: machineSpec() })
    expect(project(aServer(), machine).health).toBe('unknown')
    expect(isWell('unknown', machine)).toBe(true)
    expect(isWell('unknown', anInstance())).toBe(false)
    expect(isWell('unhealthy', machine)).toBe(false)
  })
})

test('a port whose name says so has a URL; what the backend says itself is kept', () => {
  const endpoint = { service: 'web', protocol: 'tcp', host: '127.0.0.1', port: 8080, public: false } as const
  const endpoints = [
    { ...endpoint, name: 'http' },
    { ...endpoint, name: 'https-alt', host: '::1' },
    { ...endpoint, name: 'http', protocol: 'udp' },
    { ...endpoint, name: 'db' },
    { ...endpoint, name: 'http', url: 'https://web.example.com' },
  ] as const
  const server = aServer({ status: { observed: observed('running', { endpoints }) } })
  expect(project(server, anInstance()).endpoints.map(({ url }) => url)).toEqual([
    'http://127.0.0.1:8080',
    'https://[::1]:8080',
    undefined,
    undefined,
    'https://web.example.com',
  ])
})
