import type { ResourceState } from '@stead/provider-kit'
import { resourceStates } from '@stead/provider-kit'
import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide, type RealisedView, type Sighting } from './decide.ts'
import type { Realised, RealisedStatus } from './model.ts'

const now = instant(1_000_000)

const object = (status: Partial<RealisedStatus>, changes: Partial<Realised> = {}): Realised => ({
  kind: 'thing',
  id: 'thg_1',
  labels: {},
  finalizers: [],
  createdAt: instant(0),
  generation: 1,
  revision: 1,
  spec: {},
  status: { state: 'pending', ...status },
  ...changes,
})

const view = (of: Realised, changes: Partial<RealisedView> = {}): RealisedView => ({
  object: of,
  region: 'active',
  observeOnly: false,
  needs: undefined,
  isPrepared: true,
  backend: { type: 'unasked' },
  isCurrent: true,
  now,
  ...changes,
})

const sent = { labels: {} }
const made = { sent, backendId: 'net-1' }
const found = (state: ResourceState): Sighting => ({ type: 'found', info: { state } })
const gone = { deletedAt: instant(5) }

const anyStatus: fc.Arbitrary<RealisedStatus> = fc.record(
  {
    state: fc.constantFrom('pending', 'ready', 'failed', 'lost'),
    sent: fc.constantFrom<NonNullable<RealisedStatus['sent']>>(sent, { ...sent, refused: true }),
    backendId: fc.constant('net-1'),
    observedGeneration: fc.integer({ min: 1, max: 2 }),
    doubtfulUntil: fc.constantFrom(instant(0), instant(2_000_000)),
  },
  { requiredKeys: ['state'] },
)
const anySighting: fc.Arbitrary<Sighting> = fc.oneof(
  fc.constant<Sighting>({ type: 'unasked' }),
  fc.constantFrom(...resourceStates).map(found),
  fc.boolean().map((surely): Sighting => ({ type: 'missing', surely })),
  fc
    .tuple(fc.boolean(), fc.constantFrom([], ['net-7'], ['net-7', 'net-8']))
    .map(([surely, ids]): Sighting => ({ type: 'searched', ids, surely })),
)
const anyView: fc.Arbitrary<RealisedView> = fc.record({
  object: fc
    .tuple(anyStatus, fc.boolean(), fc.integer({ min: 1, max: 2 }))
    .map(([status, isDeleted, generation]) => object(status, { generation, ...(isDeleted && gone) })),
  region: fc.constantFrom('active', 'draining', 'maintenance', 'gone'),
  observeOnly: fc.boolean(),
  needs: fc.constantFrom(undefined, 'the network n1 is not ready'),
  isPrepared: fc.boolean(),
  backend: anySighting,
  isCurrent: fc.boolean(),
  now: fc.constant(now),
})

const mutating = ['prepare', 'intend', 'send', 'update', 'remove']

test('nothing is done in a region that is in maintenance or gone, nor while a store only observes', () =>
  fc.assert(
    fc.property(anyView, each => {
      const isClosed = each.region === 'maintenance' || each.region === 'gone' || each.observeOnly
      if (isClosed) expect(mutating).not.toContain(decide(each).type)
    }),
  ))

test('it is forgotten only when it was never sent, or is surely nowhere', () =>
  fc.assert(
    fc.property(anyView, each => {
      if (decide(each).type !== 'forget') return
      const { object, backend } = each
      expect(object.deletedAt).toBeDefined()
      const { sent, backendId, doubtfulUntil } = object.status
      if (sent === undefined || sent.refused) return
      expect((backend.type === 'missing' || backend.type === 'searched') && backend.surely).toBe(true)
      if (backend.type === 'searched') expect(backend.ids).toEqual([])
      // By its id alone only what can have been made but once.
      if (backend.type === 'missing') expect(backendId === undefined || !(doubtfulUntil! > now)).toBe(true)
    }),
  ))

test('nothing is sent twice under the flag of the first time, nor anything that was answered', () =>
  fc.assert(
    fc.property(anyView, each => {
      const { type } = decide(each)
      const { sent, backendId } = each.object.status
      if (type === 'intend') expect(sent === undefined || sent.refused).toBe(true)
      if (type === 'intend') expect(each.isPrepared).toBe(true)
      if (type === 'send') expect(sent !== undefined && !sent.refused).toBe(true)
      if (type === 'intend' || type === 'send') expect(backendId).toBeUndefined()
    }),
  ))

test('only what is on its way out is removed', () =>
  fc.assert(
    fc.property(anyView, each => {
      if (decide(each).type === 'remove') expect(each.object.deletedAt).toBeDefined()
    }),
  ))

test.each<[string, RealisedView, object]>([
  ['a new one is written down and sent', view(object({})), { type: 'intend' }],
  ['what it is made of is brought', view(object({}), { isPrepared: false }), { type: 'prepare' }],
  ['what it needs comes first', view(object({}), { needs: 'n1' }), { type: 'hold', reason: 'Needs', message: 'n1' }],
  ['one that was sent and not answered is sent again', view(object({ sent })), { type: 'send' }],
  ['one that was made is asked for', view(object(made)), { type: 'describe' }],
  ['it is waited for', view(object(made), { backend: found('pending') }), { type: 'wait' }],
  ['ready is told', view(object(made), { backend: found('ready') }), { type: 'report', state: 'ready' }],
  [
    'and told once',
    view(object({ ...made, state: 'ready', observedGeneration: 1 }), { backend: found('ready') }),
    { type: 'nothing' },
  ],
  [
    'an older picture does not take that back',
    view(object({ ...made, state: 'ready', observedGeneration: 1 }), { backend: found('pending') }),
    { type: 'nothing' },
  ],
  [
    'what is otherwise than its spec is changed',
    view(object({ ...made, state: 'ready', observedGeneration: 1 }, { generation: 2 }), {
      backend: found('ready'),
      isCurrent: false,
    }),
    { type: 'update' },
  ],
  [
    'a change that was refused is not tried again until the next',
    view(object({ ...made, state: 'failed', observedGeneration: 1 }), { backend: found('ready'), isCurrent: false }),
    { type: 'park' },
  ],
  [
    'missing for a moment is not lost',
    view(object({ ...made, state: 'ready' }), { backend: { type: 'missing', surely: false } }),
    { type: 'wait' },
  ],
  [
    'what has vanished is told, and not made again',
    view(object({ ...made, state: 'ready' }), { backend: { type: 'missing', surely: true } }),
    { type: 'report', state: 'lost' },
  ],
  [
    'and told once',
    view(object({ ...made, state: 'lost' }), { backend: { type: 'missing', surely: true } }),
    { type: 'nothing' },
  ],
  [
    'what comes back is ready again',
    view(object({ ...made, state: 'lost', observedGeneration: 1 }), { backend: found('ready') }),
    { type: 'report', state: 'ready' },
  ],
  ['what failed for good stays so', view(object({ sent, state: 'failed', observedGeneration: 1 })), { type: 'park' }],
  [
    'what was refused when it was first sent goes at once',
    view(object({ sent: { ...sent, refused: true }, state: 'failed' }, gone)),
    { type: 'forget' },
  ],
  [
    'what was refused is sent again when it is changed, and not as the first time',
    view(object({ sent: { ...sent, refused: true }, state: 'failed', observedGeneration: 1 }, { generation: 2 })),
    { type: 'intend' },
  ],
  [
    'what was never sent goes at once, wherever its region is',
    view(object({}, gone), { region: 'gone' }),
    { type: 'forget' },
  ],
  ['what was sent and not answered is searched for', view(object({ sent }, gone)), { type: 'search' }],
  [
    'what is found so is removed',
    view(object({ sent }, gone), { backend: { type: 'searched', ids: ['a', 'b'], surely: true } }),
    { type: 'remove', ids: ['a', 'b'] },
  ],
  [
    'what may have been made twice is searched for, after the one that is known',
    view(object({ ...made, doubtfulUntil: instant(2_000_000) }, gone), { backend: { type: 'missing', surely: true } }),
    { type: 'search' },
  ],
])('%s', (_, each, expected) => expect(decide(each)).toMatchObject(expected))
