import { expect, test } from 'vitest'
import { proveTotal } from '../../state-table.ts'
import { states } from './states.ts'

test.each([
  ['building', 'pending'],
  ['starting', 'pending'],
  ['active', 'running'],
  ['stopping', 'stopping'],
  ['halted', 'stopped'],
  ['error', 'stopped'],
  ['deleting', 'terminating'],
  ['deleted', 'terminated'],
  ['migrating', 'unknown'],
] as const)('%s is %s', (word, state) => expect(states.read(word)).toBe(state))

test('the table is total', () =>
  proveTotal(states, ['building', 'starting', 'active', 'stopping', 'halted', 'error', 'deleting', 'deleted']))
