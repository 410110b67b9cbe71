import type { Groups, ServerState } from '@stead/provider-kit'
import { serverStates } from '@stead/provider-kit'
import { after, instant, seconds } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideServer, type ServerAction, type ServerView } from './decide.ts'
import { type Observed, type ServerSpec, type ServerStatus, wantedTarget } from './model.ts'

const content = fc.constantFrom('a', 'b', 'c')
const power = fc.constantFrom('on', 'off')
const sequence = fc.nat({ max: 3 })
const target = fc.record({ launch: content, rebuild: sequence })

const anySpec: fc.Arbitrary<ServerSpec> = fc
  .record({
    power,
    launch: content,
    restart: fc.option(
      fc.record(
        { sequence, hard: fc.boolean(), service: fc.constantFrom('web') },
        { requiredKeys: ['sequence', 'hard'] },
      ),
      { nil: undefined },
    ),
    rebuild: fc.option(fc.record({ sequence }), { nil: undefined }),
  })
  .map(({ power, launch, restart, rebuild }) => ({
    region: 'reg',
    generation: 1,
    source: 'machine',
    launch: { sealed: launch, sizeBytes: 1 },
    power,
    ...(restart && { restart }),
    ...(rebuild && { rebuild }),
  }))

const observed = (state: ServerState): Observed => ({
  state,
  addresses: { private: [], public: [] },
  endpoints: [],
  services: {},
})

const why = { code: 'Internal' as const, message: '', since: instant(1) }

/** As the controller writes it: `unsent` knows nothing yet, and what was sent says as what. */
const anyStatus: fc.Arbitrary<ServerStatus> = fc
  .record({
    sent: fc.boolean(),
    launched: fc.boolean(),
    applied: target.chain(each => fc.record({ power, restart: sequence }).map(rest => ({ ...each, ...rest }))),
    applying: fc.option(target, { nil: undefined }),
    state: fc.option(fc.constantFrom(...serverStates), { nil: undefined }),
    lost: fc.boolean(),
    failure: fc.option(fc.boolean(), { nil: undefined }),
    refused: fc.option(target, { nil: undefined }),
  })
  .map(({ sent, launched, applied, applying, state, lost, failure, refused }) => ({
    attempt: 1,
    launch: sent ? 'sent' : 'unsent',
    ...(sent && { applied }),
    ...(sent && launched && { backendId: 'i-1', ...(applying && { applying }) }),
    ...(sent && launched && state && { observed: observed(state) }),
    ...(sent && launched && lost && { lost: { at: instant(1), reason: 'gone' } }),
    ...(failure !== undefined && { failure: { ...why, retrying: failure } }),
    ...(sent && launched && refused && { refused: { ...why, ...refused } }),
  }))

const anyGroups: fc.Arbitrary<Groups> = fc
  .option(fc.record({ soft: fc.boolean() }), { nil: undefined })
  .map(reboot => (reboot ? { reboot } : {}))

const anyView: fc.Arbitrary<ServerView> = fc
  .record({ spec: anySpec, status: anyStatus, deleted: fc.boolean(), groups: anyGroups, remembers: fc.boolean() })
  .map(({ spec, status, deleted, groups, remembers }) => ({
    server: { spec, status, ...(deleted && { deletedAt: instant(5) }) },
    groups,
    remembers,
    lateness: seconds(10),
    now: instant(1_000_000),
  }))

/** Launched, and to be seen. */
const anyLaunched = fc
  .record({
    view: anyView,
    applied: target.chain(each => fc.record({ power, restart: sequence }).map(rest => ({ ...each, ...rest }))),
    applying: fc.option(target, { nil: undefined }),
    powering: fc.option(power, { nil: undefined }),
    state: fc.constantFrom<ServerState[]>('pending', 'running', 'stopping', 'stopped'),
  })
  .map(({ view, applied, applying, powering, state }): ServerView => {
    const under = { ...(applying && { applying }), ...(powering && { powering }) }
    const seen = { backendId: 'i-1', applied, observed: observed(state), ...under }
    return { ...view, server: { spec: view.server.spec, status: { attempt: 1, launch: 'sent', ...seen } } }
  })

const check = (judge: (view: ServerView, action: ServerAction) => void) =>
  fc.assert(
    fc.property(anyView, view => judge(view, decideServer(view))),
    { numRuns: 2_000 },
  )

test('what is to go is found, ended and forgotten, and nothing else is done with it', () =>
  check(({ server, remembers }, { type }) => {
    if (server.deletedAt === undefined) expect(['forget', 'terminate']).not.toContain(type)
    else if (server.status.backendId !== undefined) expect(type).toBe('terminate')
    else expect(type).toBe(server.status.launch === 'unsent' && remembers ? 'forget' : 'find')
  }))

test('nothing is launched before that was written down, nor twice', () =>
  check(({ server: { status } }, { type }) => {
    if (type === 'intend-launch') expect(status.launch).toBe('unsent')
    if (type === 'launch') expect(status).toMatchObject({ launch: 'sent' })
    if (type === 'launch' || type === 'intend-launch') expect(status.backendId).toBeUndefined()
  }))

test('a token is never sent with something else than it was first sent with', () =>
  check(({ server: { spec, status } }, { type }) => {
    if (type === 'launch') expect(status.applied?.launch).toBe(spec.launch.sealed)
  }))

const changing = ['start', 'stop', 'reboot', 'change', 'intend-change', 'note']

test('what cannot be seen, is lost or on its way out is left alone', () =>
  check(({ server: { status, deletedAt } }, { type }) => {
    const state = status.observed?.state
    const isClear = state === 'running' || state === 'stopped' || state === 'pending' || state === 'stopping'
    if (deletedAt === undefined && (status.lost || !isClear)) expect(changing).not.toContain(type)
  }))

test('what died by itself is left as it is: its instance says what becomes of it', () =>
  check(({ server, ...rest }) => {
    const { spec } = server
    const applied = {
      launch: spec.launch.sealed,
      rebuild: spec.rebuild?.sequence ?? 0,
      restart: spec.restart?.sequence ?? 0,
      power: spec.power,
    }
    for (const state of serverStates) {
      const status = { attempt: 1, launch: 'sent', backendId: 'i-1', applied, observed: observed(state) } as const
      expect(decideServer({ ...rest, server: { spec, status } })).toEqual({ type: 'rest' })
    }
  }))

test('a change that was begun is carried through before a newer one', () =>
  check(({ server: { status, deletedAt } }, action) => {
    const state = status.observed?.state
    if (deletedAt !== undefined || status.lost || !status.applying || (state !== 'running' && state !== 'stopped'))
      return
    expect(action).toEqual({ type: 'change', target: status.applying })
  }))

test('an order that was given and not seen to be done is followed up, whatever is wanted now', () =>
  fc.assert(
    fc.property(anyLaunched, power, (view, powering) => {
      const status = { ...view.server.status, powering, observed: observed('stopped') }
      const { applying: _, ...settled } = { ...status, applied: { ...status.applied!, ...wantedTarget(view.server) } }
      const action = decideServer({ ...view, server: { ...view.server, status: settled } })
      expect(action.type).not.toBe('rest')
    }),
  ))

test('after a change that had to be sent twice the next one waits until the first cannot arrive any more', () => {
  const repeatedAt = instant(1_000_000)
  const spec = { ...fc.sample(anySpec, 1)[0]!, power: 'on', launch: { sealed: 'b', sizeBytes: 1 } } as ServerSpec
  const applied = { launch: 'a', rebuild: 0, power: 'on', restart: spec.restart?.sequence ?? 0 } as const
  const status = { attempt: 1, launch: 'sent', backendId: 'i-1', applied, observed: observed('running') } as const
  const at = (now: typeof repeatedAt) => {
    const server = { spec, status: { ...status, repeatedAt } }
    return decideServer({ server, groups: {}, remembers: true, lateness: seconds(10), now })
  }
  expect(at(after(repeatedAt, seconds(4)))).toEqual({ type: 'wait', length: seconds(6) })
  expect(at(after(repeatedAt, seconds(10))).type).toBe('intend-change')
  expect(at(instant(repeatedAt - 1)).type).toBe('intend-change')
})

test('a change that was refused is not tried again', () =>
  check(({ server: { status } }, action) => {
    if (action.type !== 'intend-change' || !status.refused) return
    const { launch, rebuild } = status.refused
    expect(action.target).not.toEqual({ launch, rebuild })
  }))

/** A backend that does what it is told, at once or a moment later. */
function follow({ server, ...rest }: ServerView, slowly: boolean): ServerView {
  const action = decideServer({ server, ...rest })
  const { spec, status } = server
  const to = (patch: Partial<ServerStatus>) => ({ ...rest, server: { ...server, status: { ...status, ...patch } } })
  const state = status.observed?.state
  const moving = state === 'stopping' ? 'stopped' : state === 'pending' ? 'running' : undefined
  switch (action.type) {
    case 'intend-change':
      return to({ applying: action.target })
    case 'change': {
      const { applying: _, ...others } = to({ applied: { ...status.applied!, ...action.target } }).server.status
      return { ...rest, server: { ...server, status: others } }
    }
    case 'note': {
      const noted = to({ applied: { ...status.applied!, power: action.power, restart: action.restart } })
      const { powering: _, ...others } = noted.server.status
      return { ...rest, server: { ...server, status: others } }
    }
    case 'stop':
      return to({ observed: observed(slowly ? 'stopping' : 'stopped'), powering: 'off' })
    case 'start':
      return to({ observed: observed(slowly ? 'pending' : 'running'), powering: 'on' })
    case 'reboot':
      return to({
        observed: observed(slowly ? 'pending' : 'running'),
        applied: { ...status.applied!, restart: spec.restart!.sequence },
      })
    default:
      return moving ? to({ observed: observed(moving) }) : to({})
  }
}

test('every server comes to rest as it should be, in few steps', () =>
  fc.assert(
    fc.property(anyLaunched, fc.boolean(), (start, slowly) => {
      let view = start
      for (let step = 0; step < 12; step++) view = follow(view, slowly)
      const { spec, status } = view.server
      const action = decideServer(view)
      if (spec.restart?.service !== undefined && !view.groups.reboot && action.type === 'refuse') return
      expect(action).toEqual({ type: 'rest' })
      expect(status.applied).toMatchObject({ launch: spec.launch.sealed, power: spec.power })
      expect(status).not.toHaveProperty('powering')
    }),
    { numRuns: 2_000 },
  ))

test('what was launched before a restore is looked for before anything is launched', () =>
  check(({ server: { status, deletedAt }, remembers }, { type }) => {
    if (!remembers && deletedAt === undefined && status.backendId === undefined) expect(type).toBe('find')
  }))
