import { expect, test } from 'vitest'
import type { OpenOperation } from '../operations/model.ts'
import type { Server } from '../servers/model.ts'
import { type Access, judgeAccess } from './access.ts'
import type { Instance, InstanceStatus } from './model.ts'
import { anInstance, aServer, now, observed } from './tests/samples.ts'
import { judge, judgeSnapshot, refusalOf, type Verb, type VerbView } from './verbs.ts'

const applied = { launch: 'launch-1', power: 'off', restart: 0, rebuild: 0 } as const

interface State {
  readonly status: Partial<InstanceStatus>
  readonly spec?: Partial<Instance['spec']>
  readonly deletedAt?: typeof now
  readonly operation?: string
  readonly lost?: true
  /** Its server was told to have a new disk. */
  readonly wiped?: true
}

/** What is seen of a server where that follows from the phase; else it runs. */
const asSeen: Partial<Record<InstanceStatus['phase'], Partial<Server['status']>>> = {
  provisioning: { observed: observed('pending') },
  starting: { observed: observed('pending') },
  stopping: { observed: observed('stopping') },
  stopped: { observed: observed('stopped'), applied },
}

function viewOf({ status, spec, deletedAt, operation, lost, wiped }: State): VerbView {
  const instance = anInstance({ status, ...(spec && { spec }), ...(deletedAt !== undefined && { deletedAt }) })
  const open = operation === undefined ? [] : [{ id: 'op_1', spec: { type: operation } } as OpenOperation]
  const active = aServer({
    status: lost ? { lost: { at: now, reason: 'gone' } } : (asSeen[status.phase!] ?? {}),
    ...(wiped && { spec: { rebuild: { sequence: 1 } } }),
  })
  return { instance, active: status.phase === 'pending' ? undefined : active, open }
}

const states: Readonly<Record<string, State>> = {
  'no server yet': { status: { phase: 'pending' } },
  building: { status: { phase: 'provisioning' } },
  starting: { status: { phase: 'starting' } },
  running: { status: { phase: 'running' } },
  stopping: { status: { phase: 'stopping' }, spec: { power: 'off' } },
  stopped: { status: { phase: 'stopped' }, spec: { power: 'off' } },
  'told to start': { status: { phase: 'stopped' }, operation: 'start' },
  'died and down': { status: { phase: 'stopped' } },
  lost: { status: { phase: 'failed' }, lost: true },
  suspended: { status: { phase: 'stopped', suspended: { since: now, reason: 'unpaid' } } },
  'to be replaced': { status: { phase: 'running' }, operation: 'replace' },
  replacing: {
    status: { phase: 'running', replacement: { generation: 1, way: 'overlap', since: now } },
    operation: 'replace',
  },
  replaced: { status: { phase: 'running', charged: 'srv_1' }, operation: 'replace' },
  'to be rebuilt': { status: { phase: 'running' }, operation: 'rebuild' },
  rebuilding: { status: { phase: 'starting' }, operation: 'rebuild', wiped: true },
  deleting: { status: { phase: 'destroying' }, deletedAt: now },
}

const verbs = ['start', 'stop', 'restart', 'suspend', 'unsuspend'] as const

// What each verb is answered with, by state: done, nothing to do, not yet, never, or busy.
test.each([
  ['no server yet', 'notYet', 'notYet', 'notYet', 'act', 'nothing'],
  ['building', 'notYet', 'notYet', 'notYet', 'act', 'nothing'],
  ['starting', 'nothing', 'act', 'notYet', 'act', 'nothing'],
  ['running', 'nothing', 'act', 'act', 'act', 'nothing'],
  ['stopping', 'notYet', 'nothing', 'never', 'act', 'nothing'],
  ['stopped', 'act', 'nothing', 'never', 'act', 'nothing'],
  ['told to start', 'nothing', 'act', 'never', 'act', 'nothing'],
  ['died and down', 'act', 'act', 'never', 'act', 'nothing'],
  ['lost', 'never', 'act', 'never', 'act', 'nothing'],
  ['suspended', 'never', 'act', 'never', 'nothing', 'act'],
  ['to be replaced', 'nothing', 'act', 'act', 'act', 'nothing'],
  ['to be rebuilt', 'nothing', 'act', 'act', 'act', 'nothing'],
  ['replaced', 'busy', 'busy', 'busy', 'busy', 'busy'],
  ['replacing', 'busy', 'busy', 'busy', 'busy', 'busy'],
  ['rebuilding', 'busy', 'busy', 'busy', 'busy', 'busy'],
  ['deleting', 'never', 'never', 'never', 'never', 'never'],
] as const)('%s', (state, ...expected) => {
  const view = viewOf(states[state]!)
  expect(verbs.map((verb: Verb) => judge(verb, view).type)).toEqual(expected)
})

const accesses = ['read', 'login', 'console', 'exec'] as const

// A snapshot, then what is asked of what it runs on.
test.each([
  ['no server yet', 'notYet', 'notYet', 'notYet', 'notYet', 'notYet'],
  ['building', 'notYet', 'act', 'act', 'notYet', 'notYet'],
  ['starting', 'act', 'act', 'act', 'notYet', 'notYet'],
  ['running', 'act', 'act', 'act', 'act', 'act'],
  ['stopping', 'act', 'act', 'act', 'act', 'never'],
  ['stopped', 'act', 'act', 'act', 'never', 'never'],
  ['died and down', 'act', 'act', 'act', 'never', 'never'],
  ['lost', 'never', 'never', 'never', 'never', 'never'],
  ['suspended', 'act', 'act', 'act', 'never', 'never'],
  ['replacing', 'busy', 'act', 'busy', 'busy', 'act'],
  ['rebuilding', 'busy', 'act', 'busy', 'busy', 'notYet'],
  ['deleting', 'never', 'act', 'never', 'never', 'never'],
] as const)('%s, and what is on it', (state, snapshot, ...expected) => {
  const view = viewOf(states[state]!)
  expect(judgeSnapshot(view).type).toBe(snapshot)
  expect(accesses.map((access: Access) => judgeAccess(access, view).type)).toEqual(expected)
})

test('what nothing is known of now is asked for later', () => {
  const view = { ...viewOf(states.running!), active: aServer({ status: { observed: observed('unknown') } }) }
  for (const access of ['console', 'exec'] as const) expect(judgeAccess(access, view).type).toBe('notYet')
})

test('who is refused is told why, and what is possible', () => {
  const refusal = (verb: Verb, state: string) => refusalOf(verb, viewOf(states[state]!))
  expect(refusal('restart', 'stopped')).toMatchObject({
    code: 'invalid_state',
    details: { extensions: { phase: 'stopped', allowed: ['start', 'delete'] } },
  })
  expect(refusal('start', 'building')).toMatchObject({ code: 'not_ready', details: { retryAfter: 2_000 } })
  expect(refusal('stop', 'replacing')).toMatchObject({
    code: 'operation_in_progress',
    details: { extensions: { operation: { id: 'op_1', type: 'replace' } } },
  })
  expect(refusal('start', 'running')).toBeUndefined()
})
