import { expect, test } from 'vitest'
import { proveTotal, stateTable } from './state-table.ts'

// GCE's words: its TERMINATED means stopped.
const table = stateTable({
  PROVISIONING: 'pending',
  STAGING: 'pending',
  RUNNING: 'running',
  STOPPING: 'stopping',
  TERMINATED: 'stopped',
})

test('a word means what its row says, and a new word is unknown', () => {
  expect(table.read('STAGING')).toBe('pending')
  expect(table.read('TERMINATED')).toBe('stopped')
  expect(table.read('REPAIRING')).toBe('unknown')
  expect(table.read('constructor')).toBe('unknown')
  expect(table.read(undefined)).toBe('unknown')
})

test('a filter by neutral states names all the words they have', () =>
  expect(table.words(['pending', 'stopped'])).toEqual(['PROVISIONING', 'STAGING', 'TERMINATED']))

test('a table is proved against the backend’s own list', () => {
  const documented = ['PROVISIONING', 'STAGING', 'RUNNING', 'STOPPING', 'TERMINATED']
  const without = ['terminating', 'terminated'] as const
  expect(() => proveTotal(table, documented, { without })).not.toThrow()
  expect(() => proveTotal(table, documented)).toThrow('no word means terminating, no word means terminated')
  expect(() => proveTotal(table, [...documented, 'REPAIRING'], { without })).toThrow('"REPAIRING" has no row')
  expect(() => proveTotal(table, documented.slice(1), { without })).toThrow('"PROVISIONING" is no word of the backend')
})
