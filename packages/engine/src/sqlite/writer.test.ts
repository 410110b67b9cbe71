import { DatabaseSync } from 'node:sqlite'
import { instant, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { encodeChangeSet } from '../encoding.ts'
import type { ChangeSet } from '../words/change-set.ts'
import type { ObjectDraft } from '../words/object.ts'
import { SqliteReader } from './reader.ts'
import { migrations } from './schema.ts'
import { SqliteWriter } from './writer.ts'

function newDatabase() {
  const database = new DatabaseSync(':memory:')
  for (const migration of migrations) database.exec(migration)
  return database
}

const widget = (id: string, size = 1): ObjectDraft => ({
  kind: 'widget',
  id,
  labels: {},
  finalizers: [],
  createdAt: instant(1),
  spec: { size },
  status: {},
})

const commitAll = (writer: SqliteWriter, ...sets: ChangeSet[]) => {
  writer.begin(instant(5))
  const applied = sets.map(set => writer.apply(encodeChangeSet(set)))
  writer.commit()
  return applied
}

test('a conflict in a batch leaves its neighbours alone and writes nothing', () => {
  const database = newDatabase()
  const writer = new SqliteWriter(database)
  const [first, second, third] = commitAll(
    writer,
    changeSet(realWorld).create(widget('a')).take('name/a', 'a'),
    changeSet(realWorld).create(widget('b')).take('name/a', 'b').move('count', 1),
    changeSet(realWorld).create(widget('c')),
  )
  expect(first).toMatchObject({ committed: { revision: 1 } })
  expect(second).toEqual({ conflict: { type: 'key', key: 'name/a', wanted: 'b', heldBy: 'a' } })
  expect(third).toMatchObject({ committed: { revision: 2 } })
  expect(database.prepare('SELECT id FROM objects ORDER BY id').all()).toEqual([{ id: 'a' }, { id: 'c' }])
  expect(database.prepare('SELECT * FROM counters').all()).toEqual([])
})

test('a rolled-back batch is as if it never was', () => {
  const database = newDatabase()
  const writer = new SqliteWriter(database)
  writer.begin(instant(5))
  writer.apply(
    encodeChangeSet(changeSet(realWorld).create(widget('a')).record({ table: 't', subject: 's', scope: 'p', body: 1 })),
  )
  writer.rollback()
  expect(writer.revision).toBe(0)
  const [applied] = commitAll(writer, changeSet(realWorld).create(widget('a')))
  expect(applied).toMatchObject({ committed: { revision: 1 } })
})

test('generation moves with spec and only with spec, whatever the order of its keys', () => {
  const writer = new SqliteWriter(newDatabase())
  const put = (spec: unknown, status: object) => {
    const [applied] = commitAll(writer, { ...changeSet(realWorld), puts: [{ ...widget('a'), spec, status }] })
    return applied && 'changes' in applied ? applied.changes[0]?.generation : undefined
  }
  expect(put({ x: 1, y: { z: 2, w: 3 } }, {})).toBe(1)
  expect(put({ y: { w: 3, z: 2 }, x: 1 }, { seen: true })).toBe(1)
  expect(put({ x: 2 }, {})).toBe(2)
})

test('a conflict told to a resender stands, even when the first sending arrives after what was in its way is gone', () => {
  const database = newDatabase()
  const writer = new SqliteWriter(database)
  commitAll(writer, changeSet(realWorld).create(widget('a')).take('name/a', 'a'))
  const late = encodeChangeSet(changeSet(realWorld).create(widget('b')).take('name/a', 'b'))
  const conflict = { conflict: { type: 'key', key: 'name/a', wanted: 'b', heldBy: 'a' } }
  writer.begin(instant(6))
  expect(writer.apply(late, true)).toEqual(conflict)
  writer.commit()
  commitAll(writer, { ...changeSet(realWorld), releases: [{ key: 'name/a', holder: 'a' }] })
  writer.begin(instant(7))
  expect(writer.apply(late)).toEqual(conflict)
  writer.commit()
  expect(new SqliteReader(database).outcome(late.id)).toBeUndefined()
})
