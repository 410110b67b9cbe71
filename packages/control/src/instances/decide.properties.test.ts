import { serverStates } from '@stead/provider-kit'
import { instant } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRefused, type Server, type ServerStatus } from '../servers/model.ts'
import { type Action, decide, type InstanceView } from './decide.ts'
import { effects, firstStatus, type Instance, type InstanceStatus, policiesOf } from './model.ts'
import { operationSteps } from './operations.ts'
import { covers } from './plan.ts'
import { anInstance, aServer, machineSpec, now, observed, servicesSpec } from './tests/samples.ts'
import { phases, transitions } from './transitions.ts'

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const anyPower = fc.constantFrom('on', 'off')
const anyCount = fc.integer({ min: 0, max: 2 })
const anyTime = fc.integer({ min: 0, max: 2_000_000 }).map(instant)

const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

const refusal = { code: 'InvalidConfig' as const, message: 'no', since: now }

const anyServerStatus: fc.Arbitrary<ServerStatus> = fc
  .record({
    attempt: fc.constant(1),
    launch: fc.constant('sent' as const),
    backendId: maybe(fc.constant('b')),
    observed: maybe(fc.constantFrom(...serverStates).map(state => observed(state))),
    applied: maybe(
      fc.record({ launch: fc.constantFrom('a', 'b'), power: anyPower, restart: anyCount, rebuild: anyCount }),
    ),
    lost: maybe(fc.constant({ at: now, reason: 'gone' })),
    refused: maybe(
      fc.record({ launch: fc.constantFrom('a', 'b'), rebuild: anyCount }).map(target => ({ ...target, ...refusal })),
    ),
    failure: maybe(fc.boolean().map(retrying => ({ code: 'Capacity' as const, message: 'no', retrying, since: now }))),
  })
  .map(given) as fc.Arbitrary<ServerStatus>

const anyServer = (id: string): fc.Arbitrary<Server> =>
  fc
    .record({
      power: anyPower,
      keepsAddresses: maybe(fc.constant(true)),
      generation: fc.integer({ min: 1, max: 3 }),
      restart: maybe(anyCount.map(sequence => ({ sequence, hard: false }))),
      rebuild: maybe(anyCount.map(sequence => ({ sequence }))),
      status: anyServerStatus,
      deletedAt: maybe(fc.constant(now)),
    })
    .map(({ status, deletedAt, ...spec }) => ({
      ...aServer({ id, spec: { ...given(spec), launch: { sealed: 'a', sizeBytes: 1 } } as Partial<Server['spec']> }),
      status,
      ...(deletedAt !== undefined && { deletedAt }),
    }))

const anyStatus: fc.Arbitrary<InstanceStatus> = fc
  .record({
    phase: fc.constantFrom(...phases.filter(phase => phase !== 'destroyed')),
    phaseSince: anyTime,
    suspended: fc.constantFrom(null, { since: now, reason: 'x' }),
    slots: fc.record({ active: maybe(fc.constant('srv_1')), next: maybe(fc.constant('srv_2')) }).map(given),
    charged: maybe(fc.constantFrom('srv_1', 'srv_2')),
    change: maybe(
      fc
        .record({
          generation: fc.integer({ min: 1, max: 3 }),
          effect: fc.constantFrom(...effects),
          amounts: fc.constant({}),
          failed: maybe(fc.constant(true)),
        })
        .map(given),
    ),
    replacement: maybe(
      fc.record({
        generation: fc.integer({ min: 1, max: 3 }),
        way: fc.constantFrom('overlap', 'handover'),
        since: anyTime,
        addresses: maybe(fc.constant({ private: ['10.0.0.1'], public: [] })),
        givenUp: maybe(fc.constant('it did not come up')),
      }),
    ),
    kept: maybe(fc.constantFrom({ private: ['10.0.0.1'], public: [] }, { private: ['10.0.0.2'], public: [] })),
    restart: maybe(fc.constant({ hard: false })),
    retry: maybe(fc.constant(true)),
    seenUp: maybe(fc.constantFrom('srv_1', 'srv_2')),
    runningSince: maybe(anyTime),
  })
  .map(fields => ({ ...firstStatus(now), ...given(fields) }) as InstanceStatus)

const anySpec = fc
  .record({
    source: fc.constantFrom(servicesSpec().source, machineSpec().source, machineSpec({ keepAddresses: true }).source),
    power: anyPower,
    onServerLoss: fc.constantFrom('fail', 'recreate'),
    onCrash: fc.constantFrom('restart', 'stop'),
    drift: fc.constantFrom('report', 'repair'),
    ttl: maybe(fc.constantFrom('1s', '1h')),
    idleStop: maybe(fc.constantFrom('1s', '1h')),
    paused: fc.boolean(),
    deletionProtection: fc.boolean(),
  })
  .map(given)

const anyInstance: fc.Arbitrary<Instance> = fc
  .record({ spec: anySpec, status: anyStatus, isDeleted: fc.boolean(), generation: fc.integer({ min: 1, max: 3 }) })
  .map(({ spec, status, isDeleted, generation }) => ({
    ...anInstance({ spec: spec as Partial<Instance['spec']>, generation, ...(isDeleted && { deletedAt: now }) }),
    status,
  }))

const anyNames = fc.subarray(['password', 'token'])

const anyView: fc.Arbitrary<InstanceView> = fc
  .record({
    instance: anyInstance,
    servers: fc
      .tuple(maybe(anyServer('srv_1')), maybe(anyServer('srv_2')), maybe(anyServer('srv_3')))
      .map(all => all.filter(server => server !== undefined)),
    operations: fc.uniqueArray(fc.constantFrom(...Object.keys(operationSteps)), { maxLength: 2 }).map(types =>
      types.map((type, index) => ({
        ...{
          kind: 'operation',
          id: `op_${index}`,
          labels: {},
          finalizers: [],
          createdAt: now,
          generation: 1,
          revision: 1,
        },
        spec: { type, subject: { kind: 'instance', id: 'inst_1' } },
        status: { state: 'pending' as const, steps: [] },
      })),
    ),
    region: fc.constantFrom('open', 'closed', 'still', 'observing'),
    outdated: maybe(
      fc.oneof(
        fc.constant('unknown' as const),
        fc.record({ effect: fc.constantFrom(...effects), isChanged: fc.boolean(), isNew: fc.boolean() }),
      ),
    ),
    waitsFor: maybe(fc.constant('its network is not there yet')),
    overQuota: maybe(fc.constant('the project uses 2 of 2 instances')),
    secrets: maybe(fc.record({ rotated: anyNames, stale: anyNames })),
    lastUsed: maybe(anyTime),
    now: anyTime,
  })
  .map(view => given(view) as InstanceView)

const always = (property: (view: InstanceView, actions: readonly Action[]) => void) =>
  fc.assert(
    fc.property(anyView, view => property(view, decide(view).actions)),
    { numRuns: 1_000 },
  )

const only = <Type extends Action['type']>(actions: readonly Action[], type: Type) =>
  actions.filter(action => action.type === type) as Extract<Action, { type: Type }>[]

describe('in whatever state things are', () => {
  test('a phase is only followed by one that the table allows', () =>
    fc.assert(
      fc.property(anyView, view => {
        const [before, after] = [view.instance.status.phase, decide(view).status.phase]
        if (before !== after) expect(transitions[before]).toContain(after)
      }),
      { numRuns: 1_000 },
    ))

  test('a server goes only with its instance, for its successor, or when nothing is there', () =>
    always((view, actions) => {
      const { instance, servers } = view
      if (instance.deletedAt !== undefined) return
      for (const { server } of only(actions, 'remove')) {
        const isActive = server.id === instance.status.slots.active
        if (!isActive) continue
        const { lost, backendId } = server.status
        const isLost = lost !== undefined && policiesOf(instance).onServerLoss === 'recreate'
        const isReplaced = only(actions, 'swap').some(({ from, to }) => from === server && servers.includes(to))
        expect(isLost || isReplaced || (lost === undefined && backendId === undefined)).toBe(true)
      }
    }))

  test('nothing is destroyed that nobody agreed to, and not twice for one generation', () =>
    always((view, actions) => {
      const { instance, outdated } = view
      const { change, replacement } = instance.status
      const begun = decide(view).status.replacement
      const isRebuilt = only(actions, 'change').some(action => action.change.rebuild)
      const begins = begun !== undefined && !replacement
      if (!isRebuilt && !begins) return
      expect(change).toMatchObject({ generation: instance.generation })
      expect(change!.failed).toBeUndefined()
      expect(covers(change!.effect, (outdated as { effect: (typeof effects)[number] }).effect)).toBe(true)
    }))

  test('what was refused is not tried again by itself', () =>
    always(({ instance, servers, outdated }, actions) => {
      const active = servers.find(({ id }) => id === instance.status.slots.active)
      const isSame = typeof outdated === 'object' && !outdated.isNew
      if (!active || !isRefused(active) || !isSame || instance.status.retry) return
      for (const { change } of only(actions, 'change')) {
        expect(change.follow).not.toBe('launch')
        expect(change).not.toHaveProperty('again')
        expect(change).not.toHaveProperty('rebuild')
      }
    }))

  test('nothing is changed by what cannot be seen', () =>
    always((view, actions) => {
      const { instance, servers } = view
      const active = servers.find(({ id }) => id === instance.status.slots.active)
      if (instance.deletedAt !== undefined || !active || active.status.lost || active.status.backendId === undefined)
        return
      if (active.status.observed?.state !== 'unknown') return
      expect(
        only(actions, 'remove').filter(({ server }) => server === active && only(actions, 'swap').length === 0),
      ).toEqual([])
      const restarts = only(actions, 'change').filter(action => action.change.restart)
      expect(restarts.length === 0 || instance.status.restart !== undefined).toBe(true)
    }))

  test('who is suspended is never switched on', () =>
    always(({ instance }, actions) => {
      if (!instance.status.suspended) return
      for (const { power } of only(actions, 'create')) expect(power).toBe('off')
      for (const { change } of only(actions, 'change')) expect(change.power).not.toBe('on')
    }))

  test('what is protected does not end by itself', () =>
    always(({ instance }, actions) => {
      if (policiesOf(instance).isProtected) expect(only(actions, 'expire')).toEqual([])
    }))

  test('what is paused, or in a region that is left alone, is not touched unless it is deleted', () =>
    always(({ instance, region }, actions) => {
      if (instance.deletedAt !== undefined || !(policiesOf(instance).isPaused || region === 'still')) return
      const touching = ['create', 'remove', 'swap', 'powerOff']
      expect(actions.filter(({ type }) => touching.includes(type))).toEqual([])
      // That a server is what was asked for without a word to the backend may be written down.
      for (const { change } of only(actions, 'change')) expect(change).toEqual({ follow: 'note' })
    }))

  test('a store that only observes decides nothing, and only tells', () =>
    always(({ region }, actions) => {
      if (region !== 'observing') return
      const telling = ['tell', 'step', 'end']
      expect(actions.filter(({ type }) => !telling.includes(type))).toEqual([])
    }))

  test('an instance is forgotten only when nothing is left of it', () =>
    always(({ instance, servers, region }, actions) => {
      const isForgotten = only(actions, 'forget').length > 0
      expect(isForgotten).toBe(instance.deletedAt !== undefined && servers.length === 0 && region !== 'observing')
    }))

  test('a slot gets a server only when it is free, and gives it up only when that is gone', () =>
    always(({ instance, servers }, actions) => {
      const { slots } = instance.status
      for (const { slot } of only(actions, 'create')) {
        const isFreed = only(actions, 'vacate').some(action => action.slot === slot)
        expect(slots[slot] === undefined || isFreed).toBe(true)
      }
      for (const { server } of only(actions, 'vacate')) expect(servers.map(({ id }) => id)).not.toContain(server)
    }))

  test('nothing is made that waits for something, and no successor that cannot be charged', () =>
    always(({ waitsFor, overQuota }, actions) => {
      const made = only(actions, 'create')
      if (waitsFor !== undefined) expect(made).toEqual([])
      if (overQuota !== undefined) expect(made.filter(({ slot }) => slot === 'next')).toEqual([])
    }))

  test('secrets are told to be given to a server only where it is given them', () =>
    always((_view, actions) => {
      const isTold = only(actions, 'tell').some(({ reason }) => reason === 'SecretsRotated')
      if (isTold) expect(only(actions, 'change').some(({ change }) => change.follow === 'launch')).toBe(true)
    }))

  test('a successor that waits for the old one to be down is made only when that is, and stays so', () =>
    always(({ instance, servers }, actions) => {
      const active = servers.find(({ id }) => id === instance.status.slots.active)
      const isHandover = instance.status.replacement?.way === 'handover'
      if (!isHandover || !active || only(actions, 'create').every(({ slot }) => slot !== 'next')) return
      const { applied, powering, observed: seenNow } = active.status
      expect([active.spec.power, applied?.power, powering, seenNow?.state]).toEqual([
        'off',
        'off',
        undefined,
        'stopped',
      ])
      expect(active.spec.restart?.sequence ?? 0).toBeLessThanOrEqual(applied!.restart)
    }))

  test('addresses that are kept never change, and the one that had them is not started while another may have them', () =>
    always((view, actions) => {
      const { instance, servers } = view
      const { kept, replacement, slots } = instance.status
      const after = decide(view).status
      const isKept = instance.spec.source.machine?.keepAddresses === true
      if (kept && isKept) expect(after.kept?.private).toEqual(kept.private)
      if (!replacement?.addresses || instance.deletedAt !== undefined) return
      const next = servers.find(({ id }) => id === slots.next)
      const started = only(actions, 'change').filter(
        ({ server, change }) => server.id === slots.active && change.power === 'on',
      )
      if (next) expect(started).toEqual([])
      for (const { to } of only(actions, 'swap'))
        if (to.status.observed?.state === 'running')
          expect(to.status.observed.addresses.private).toEqual(replacement.addresses.private)
    }))

  test('no operation is ended twice, and ready is said only of what has none', () =>
    always((view, actions) => {
      const ended = only(actions, 'end').map(({ operation }) => operation.id)
      expect(new Set(ended).size).toBe(ended.length)
      const { status } = decide(view)
      if (status.ready) expect(status).toMatchObject({ operation: null, phase: 'running', power: 'on' })
    }))
})
