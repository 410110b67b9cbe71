import { proveTotal, type ServiceLaunch } from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Container } from '../engine/words.ts'
import { decide } from './decide.ts'
import { stateOf, states } from './info.ts'
import { shapeOf } from './labels.ts'
import { isShared, type Known, type View } from './view.ts'

const never = '0001-01-01T00:00:00Z'
const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`

function container(state: Partial<Container['State']> = {}): Container {
  return {
    ...{ Id: 'x', Name: '/x', Created: at(0), Image: '', RestartCount: 0, Config: { Labels: {}, Image: '' } },
    State: {
      ...{ Status: 'created', Running: false, Restarting: false, OOMKilled: false, ExitCode: 0 },
      ...{ StartedAt: never, FinishedAt: never, ...state },
    },
    HostConfig: {},
    NetworkSettings: { Networks: {}, Ports: {} },
  }
}

const created = container()
const running = (second: number) => container({ Status: 'running', Running: true, StartedAt: at(second) })
const exited = (second: number, ExitCode: number) =>
  container({ Status: 'exited', StartedAt: at(second), FinishedAt: at(second), ExitCode })

const known: Known = {
  ...{ winding: false, rested: false, power: undefined, rebooting: new Set(), problem: undefined },
  ...{ restartsLate: false, now: Date.parse(at(59)), isWell: () => true },
}

function viewOf(launches: Readonly<Record<string, ServiceLaunch>>, change: Partial<View> = {}): View {
  const source = { type: 'services', kind: 'deployment', services: launches } as const
  const shape = shapeOf({ name: 'x', source, power: 'on', tags: {} })
  const services = Object.fromEntries(Object.keys(launches).map(name => [name, created]))
  const holder = isShared(shape) ? created : undefined
  return { id: 'x', stage: 'made', labels: {}, shape, createdAt: 0, services, holder, ...change }
}

const main = plainService('image', { restart: 'never' })
const pair = { main, side: plainService('image', { role: 'sidecar' }) }
const withInit = { ...pair, setup: plainService('image', { role: 'init', restart: 'never' }) }

test('every word of both engines for a container has a meaning', () => {
  // Docker: api/types/container/container.go. Podman: libpod/define/containerstate.go.
  const docker = ['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']
  const podman = ['configured', 'initialized', 'stopped', 'stopping']
  proveTotal(states, [...docker, ...podman], { without: ['terminated'] })
})

/** Services that depend only on those before them, as a launch that was let in does. */
const anyServices = fc
  .array(fc.tuple(fc.constantFrom('init', 'sidecar'), fc.array(fc.nat(20), { maxLength: 3 })), { maxLength: 5 })
  .map(rows => {
    const launches: Record<string, ServiceLaunch> = { main }
    for (const [index, [role, picks]] of rows.entries()) {
      const before = Object.keys(launches).slice(1)
      const dependsOn = before.length === 0 ? [] : [...new Set(picks.map(pick => before[pick % before.length]!))]
      launches[`s${index}`] = plainService('image', { role: role as 'init' | 'sidecar', dependsOn, restart: 'never' })
    }
    return launches
  })

test('from nothing everything is made and started once, whoever decides each step', () => {
  fc.assert(
    fc.property(anyServices, launches => {
      let view = viewOf(launches, {
        stage: 'new',
        services: Object.fromEntries(Object.keys(launches).map(name => [name, undefined])),
        holder: undefined,
      })
      const started: string[] = []
      for (let second = 1; ; second++) {
        expect(second).toBeLessThan(30)
        const step = decide(view, known)
        if (step.type === 'rest') break
        if (step.type === 'make') view = { ...viewOf(launches), stage: 'new' }
        else if (step.type === 'mark') view = { ...view, stage: 'made' }
        else if (step.type === 'start-holder') view = { ...view, holder: running(second) }
        else if (step.type === 'start')
          for (const name of step.services) {
            started.push(name)
            const ended = launches[name]!.role === 'init' ? exited(second, 0) : running(second)
            view = { ...view, services: { ...view.services, [name]: ended } }
          }
        else expect.unreachable(step.type)
      }
      expect(started.sort()).toEqual(Object.keys(launches).sort())
      expect([view.stage, stateOf(view, known)]).toEqual(['made', 'running'])
    }),
  )
})

test('what is missing of a server that was whole is not made anew: it is lost', () => {
  const view = viewOf(pair, { services: { main: undefined, side: running(2) }, holder: running(1) })
  expect([decide(view, known), stateOf(view, known)]).toEqual([{ type: 'rest' }, 'terminated'])
})

test('what is going goes, whatever else is true of it', () => {
  const view = viewOf(pair, { stage: 'going', services: { main: undefined, side: running(2) } })
  expect([decide(view, known), stateOf(view, known)]).toEqual([{ type: 'remove' }, 'terminating'])
})

test('when the main service has ended for good the others are stopped', () => {
  const view = viewOf(pair, { holder: running(1), services: { main: exited(2, 3), side: running(2) } })
  expect([decide(view, known), stateOf(view, known)]).toEqual([{ type: 'wind' }, 'stopping'])
})

test('an init that failed keeps the rest from starting, and ends it', () => {
  const view = viewOf(withInit, { holder: running(1), services: { main: created, side: created, setup: exited(2, 1) } })
  expect([decide(view, known), stateOf(view, known)]).toEqual([{ type: 'wind' }, 'stopping'])
})

test('services in a network that is no more are ended, and then started in order', () => {
  const stale = viewOf(withInit, {
    holder: running(9),
    services: { main: running(2), side: running(2), setup: exited(1, 0) },
  })
  expect(decide(stale, known)).toEqual({ type: 'end-stale', services: ['main', 'side'] })
  const ended = { ...stale, services: { main: exited(2, 137), side: exited(2, 137), setup: exited(1, 0) } }
  expect([decide(ended, known), stateOf(ended, known)]).toEqual([{ type: 'start', services: ['setup'] }, 'pending'])
})

test('where an engine has started the main service by itself, what should go before it comes too late', () => {
  const view = viewOf(withInit, {
    holder: running(9),
    services: { main: running(10), side: exited(2, 137), setup: exited(1, 0) },
  })
  expect(decide(view, known)).toEqual({ type: 'start', services: ['side'] })
})

test('nothing waits longer than for what it depends on to be well', () => {
  const launches = { main: { ...main, dependsOn: ['side'] }, side: pair.side }
  const view = viewOf(launches, { holder: running(1), services: { main: created, side: running(2) } })
  expect(decide(view, { ...known, isWell: () => false })).toEqual({ type: 'rest' })
  expect(decide(view, known)).toEqual({ type: 'start', services: ['main'] })
})

test('Podman is given time to restart what it says has ended', () => {
  const view = viewOf({ main: plainService('image', { restart: 'always' }) }, { services: { main: exited(58, 1) } })
  expect(stateOf(view, { ...known, restartsLate: true })).toBe('running')
  expect(stateOf(view, { ...known, restartsLate: true, now: known.now + 10_000 })).toBe('stopped')
  expect(stateOf(view, known)).toBe('stopped')
})

test('a command that cannot be run is not tried for ever, any other failure is tried again', () => {
  const [wrong, unlucky] = [127, 128].map(ExitCode => viewOf({ main }, { services: { main: container({ ExitCode }) } }))
  expect([decide(wrong!, known), stateOf(wrong!, known)]).toEqual([{ type: 'rest' }, 'stopped'])
  expect(decide(unlucky!, known)).toEqual({ type: 'start', services: ['main'] })
})
