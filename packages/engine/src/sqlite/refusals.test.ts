import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { loopFilesystem, temporaryDirectory, testWith } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { newSet, readAll, times, widget } from '../conformance/fixture.suite.ts'
import { OpenError } from '../words/errors.ts'
import type { Store } from '../words/store.ts'
import { openSqliteStore, storePath } from './open-store.ts'
import { migrations } from './schema.ts'

async function open(directory: string) {
  const store = await openSqliteStore({ directory, world: realWorld })
  onTestFinished(() => store.close())
  return store
}

async function refusal(directory: string): Promise<OpenError> {
  const error = await openSqliteStore({ directory, world: realWorld }).then(
    async store => {
      await store.close()
      return new Error('it was opened')
    },
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OpenError)
  return error as OpenError
}

async function filled(directory: string, objects = 50): Promise<string> {
  const store = await openSqliteStore({ directory, world: realWorld })
  await fill(store, objects)
  await store.close()
  return storePath(directory)
}

const fill = (store: Store, objects: number) =>
  Promise.all(times(objects, n => store.commit(newSet().create(widget(`w-${n}`, { text: 'x'.repeat(1_000) })))))

/** Every file and what is in it, to see that nothing was touched. */
const contents = (directory: string) =>
  readdirSync(directory)
    .sort()
    .map(name => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ])

function scribble(path: string, offset: number, garbage: Uint8Array | string): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.from(garbage as string), 0, garbage.length, offset)
  closeSync(file)
}

test('a file that is no database is refused as damaged, untouched', async () => {
  const directory = temporaryDirectory()
  await filled(directory)
  scribble(storePath(directory), 0, 'not a database at all')
  const before = contents(directory)
  const error = await refusal(directory)
  expect(error.failure).toBe('corrupt')
  expect(error.message).toContain('restore the last backup')
  expect(contents(directory)).toEqual(before)
})

test('a file cut short is refused as damaged', async () => {
  const directory = temporaryDirectory()
  mkdirSync(directory, { recursive: true })
  writeFileSync(storePath(directory), 'SQLite format 3\0')
  expect((await refusal(directory)).failure).toBe('corrupt')
})

test('damage in the middle is found when it is read: the reader is told, and the store ends', async () => {
  const directory = temporaryDirectory()
  const path = await filled(directory, 200)
  const database = new DatabaseSync(path)
  const leaves = database.prepare(`SELECT pageno FROM dbstat WHERE name = 'objects' AND pagetype = 'leaf'`).all()
  database.close()
  for (const { pageno } of leaves.slice(1)) scribble(path, (Number(pageno) - 1) * 4_096, Buffer.alloc(2_048, 0xa5))
  const store = await open(directory)
  await expect(readAll(store)).rejects.toMatchObject({ failure: 'corrupt' })
  expect(await store.failed).toMatchObject({ failure: 'corrupt' })
  await expect(store.commit(newSet().create(widget('late')))).rejects.toThrow('damaged')
})

test('a document that is not the JSON we wrote is damage too', async () => {
  const directory = temporaryDirectory()
  const path = await filled(directory, 1)
  const database = new DatabaseSync(path)
  database.exec(`UPDATE objects SET spec = replace(spec, '"', '')`)
  database.close()
  const store = await open(directory)
  await expect(readAll(store)).rejects.toMatchObject({ failure: 'corrupt' })
  expect(await store.failed).toMatchObject({ failure: 'corrupt' })
})

test('a database of another program is refused untouched', async () => {
  for (const owner of ['PRAGMA application_id = 5', 'PRAGMA user_version = 5', 'SELECT 1']) {
    const directory = temporaryDirectory()
    const database = new DatabaseSync(storePath(directory))
    database.exec(`CREATE TABLE theirs (x); ${owner}`)
    database.close()
    const before = contents(directory)
    const error = await refusal(directory)
    expect(error.failure).toBe('corrupt')
    expect(error.message).toContain('another program')
    expect(contents(directory).filter(([name]) => name !== 'stead.db.lock')).toEqual(before)
  }
})

test('a newer schema is refused untouched, and says which version to run', async () => {
  const directory = temporaryDirectory()
  const database = new DatabaseSync(await filled(directory))
  database.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  database.close()
  const before = contents(directory)
  const error = await refusal(directory)
  expect(error.failure).toBe('newer_schema')
  expect(error.message).toContain(`schema ${migrations.length + 1}`)
  expect(contents(directory)).toEqual(before)
})

test('a newer schema that is only in the write-ahead log is refused with both files untouched', async () => {
  const directory = temporaryDirectory()
  await filled(directory)
  // A process that dies leaves its write-ahead log behind.
  const upgrade = `
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1])
    database.exec('PRAGMA user_version = ${migrations.length + 1}')
    process.kill(process.pid, 'SIGKILL')`
  expect(() => execFileSync(process.execPath, ['-e', upgrade, storePath(directory)])).toThrow()
  const data = () => contents(directory).filter(([name]) => name === 'stead.db' || name === 'stead.db-wal')
  const before = data()
  expect(before).toHaveLength(2)
  expect((await refusal(directory)).failure).toBe('newer_schema')
  expect(data()).toEqual(before)
})

test('a directory that cannot be made is refused', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'file'), '')
  for (const place of ['file', 'file/below']) {
    const error = await refusal(join(directory, place))
    expect(error.failure).toBe('unwritable')
    expect(error.message).toContain(place)
  }
})

test('data is for its owner only', async () => {
  const directory = join(temporaryDirectory(), 'data')
  const store = await open(directory)
  await fill(store, 1)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  for (const name of ['stead.db', 'stead.db-wal', 'stead.db-shm'])
    expect(statSync(join(directory, name)).mode & 0o777, name).toBe(0o600)
})

testWith('loop filesystem', 'a disk mounted read-only is refused, and works again once it is writable', async () => {
  const directory = loopFilesystem(4)
  await filled(join(directory, 'data'), 10)
  execFileSync('mount', ['-o', 'remount,ro', directory])
  for (const place of ['data', 'other']) expect((await refusal(join(directory, place))).failure).toBe('unwritable')
  execFileSync('mount', ['-o', 'remount,rw', directory])
  const store = await openSqliteStore({ directory: join(directory, 'data'), world: realWorld })
  expect((await readAll(store)).objects).toHaveLength(10)
  await store.close()
})
