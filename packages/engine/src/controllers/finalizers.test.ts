import { instant, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { type Widget, widget } from '../tests/widgets.ts'
import { addFinalizer, letGo, mayBeRemoved, removeFinalizer } from './finalizers.ts'

const stored = (finalizers: string[], deleted = true): Widget => ({
  ...widget('a', { finalizers, ...(deleted && { deletedAt: instant(5) }) }),
  generation: 1,
  revision: 7,
})

test('a name is put on once and taken off wholly; what changes nothing is the same list', () => {
  const object = stored(['backend'])
  expect(addFinalizer(object, 'dns')).toEqual({ finalizers: ['backend', 'dns'] })
  expect(addFinalizer(object, 'backend').finalizers).toBe(object.finalizers)
  expect(removeFinalizer(object, 'backend')).toEqual({ finalizers: [] })
  expect(removeFinalizer(object, 'dns').finalizers).toBe(object.finalizers)
})

test('only what is deleted and free may be removed', () => {
  expect(mayBeRemoved(stored([]))).toBe(true)
  expect(mayBeRemoved(stored(['backend']))).toBe(false)
  expect(mayBeRemoved(stored([], false))).toBe(false)
})

test('whoever lets go last removes the object and what goes with it', () => {
  const released: string[] = []
  const release = () => released.push('keys')
  const first = letGo(changeSet(realWorld), stored(['backend', 'dns']), 'backend', release)
  expect(first.puts).toMatchObject([{ id: 'a', finalizers: ['dns'] }])
  expect([first.removes, released]).toEqual([[], []])
  const last = letGo(changeSet(realWorld), stored(['dns']), 'dns', release)
  expect(last.removes).toEqual([{ kind: 'widget', id: 'a' }])
  expect([last.puts, released]).toEqual([[], ['keys']])
  expect(last.expect).toEqual([{ type: 'revision', ref: { kind: 'widget', id: 'a' }, revision: 7 }])
})
