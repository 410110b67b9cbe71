import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { byRef, newSet, readAll, replay, take, times, widget } from '../conformance/fixture.suite.ts'
import { OpenError, type OpenFailure } from '../words/errors.ts'
import { type BackupManifest, manifestPath } from './backup.ts'
import { openSqliteStore, storePath } from './open-store.ts'
import { restoreSqliteStore } from './restore.ts'

async function open(directory: string) {
  const store = await openSqliteStore({ directory, world: realWorld })
  onTestFinished(() => store.close())
  return store
}

async function newStore() {
  const store = await open(join(temporaryDirectory(), 'data'))
  await store.commit(newSet().create(widget('kept')).take('key', 'kept').limit('quota', 9).move('quota', 3))
  return store
}

test('a backup taken while 16 writers write is of one revision, and a restore of it is that revision again', async () => {
  const store = await newStore()
  let writing = true
  const writers = times(16, async writer => {
    for (let n = 0; writing; n++)
      await store.commit({ ...newSet(), puts: [widget(`a-${writer}`, n), widget(`b-${writer}`, n)] })
  })
  const place = temporaryDirectory()
  const backup = join(place, 'backup.db')
  const manifest = await store.backup(backup)
  writing = false
  await Promise.all(writers)
  const { storeId } = store.identity
  expect(manifest).toMatchObject({ format: 1, storeId, epoch: 1, bytes: statSync(backup).size })
  expect(JSON.parse(readFileSync(manifestPath(backup), 'utf8'))).toEqual(manifest)
  expect(readdirSync(place).sort()).toEqual(['backup.db', 'backup.db.json'])
  expect(statSync(backup).mode & 0o777).toBe(0o600)

  const directory = join(place, 'restored')
  const { identity, revision } = await restoreSqliteStore({ backup, directory })
  expect(identity).toEqual({ storeId, epoch: 2, observeOnly: true })
  const restored = await open(directory)
  expect(restored.identity).toEqual(identity)
  expect(restored.head()).toBe(revision)
  const { objects } = await readAll(restored)
  expect(byRef(objects)).toEqual(replay(await take(store, 0, revision)))
  expect(await restored.keyHolder('key')).toBe('kept')
  expect(await restored.counters('')).toEqual([{ counter: 'quota', value: 3, limit: 9 }])
  expect((await restored.commit(newSet().create(widget('new')))).revision).toBe(revision + 1)
  await restored.resume()
  await restored.close()
  expect((await open(directory)).identity).toEqual({ storeId, epoch: 2, observeOnly: false })
  expect(store.identity).toEqual({ storeId, epoch: 1, observeOnly: false })
})

test('a backup opened without a restore knows that it is a copy', async () => {
  const store = await newStore()
  const [place, directory] = [temporaryDirectory(), temporaryDirectory()]
  await store.backup(join(place, 'backup.db'))
  copyFileSync(join(place, 'backup.db'), storePath(directory))
  expect((await open(directory)).identity).toMatchObject({ epoch: 2, observeOnly: true })
})

test('a backup never overwrites, and one that cannot be written leaves nothing', async () => {
  const store = await newStore()
  const place = temporaryDirectory()
  await store.backup(join(place, 'one'))
  const before = readFileSync(join(place, 'one'))
  await expect(store.backup(join(place, 'one'))).rejects.toThrow('exists already')
  expect(readFileSync(join(place, 'one'))).toEqual(before)
  await expect(store.backup(join(place, 'no', 'such', 'place'))).rejects.toThrow('the backup was not written')
  expect(readdirSync(place).sort()).toEqual(['one', 'one.json'])
  await store.commit(newSet().create(widget('still works')))
})

test('a store that closes does not wait for its backup', async () => {
  const store = await newStore()
  const place = temporaryDirectory()
  const backup = store.backup(join(place, 'late')).catch((error: unknown) => error)
  await store.close()
  expect(await backup).toMatchObject({ name: 'UnavailableError' })
  expect(existsSync(join(place, 'late'))).toBe(false)
})

/** Each way a restore must be refused: what to spoil, and what the refusal says. */
const refusals: Record<
  string,
  { spoil: (backup: string, directory: string) => void; says: { failure: OpenFailure; message: RegExp } }
> = {
  'a single changed byte': {
    spoil(backup) {
      const bytes = readFileSync(backup)
      bytes[bytes.length - 100]! ^= 1
      writeFileSync(backup, bytes)
    },
    says: { failure: 'corrupt', message: /not what its manifest says/ },
  },
  'a backup cut short': {
    spoil: backup => writeFileSync(backup, readFileSync(backup).subarray(0, 4_096)),
    says: { failure: 'corrupt', message: /not what its manifest says/ },
  },
  'a manifest that is none': {
    spoil: backup => writeFileSync(manifestPath(backup), '{"format": 2}'),
    says: { failure: 'corrupt', message: /not the manifest/ },
  },
  'a lost manifest': {
    spoil: backup => rmSync(manifestPath(backup)),
    says: { failure: 'corrupt', message: /without its manifest/ },
  },
  'a newer schema': {
    spoil(backup) {
      const manifest = JSON.parse(readFileSync(manifestPath(backup), 'utf8')) as BackupManifest
      writeFileSync(manifestPath(backup), JSON.stringify({ ...manifest, schema: 99 }))
    },
    says: { failure: 'newer_schema', message: /newer Stead/ },
  },
  'a directory with something in it': {
    spoil: (_backup, directory) => writeFileSync(join(directory, 'something'), ''),
    says: { failure: 'unwritable', message: /not empty \(something\)/ },
  },
}

test('what is not a whole backup for an empty directory is refused, and nothing is put there', async () => {
  const place = temporaryDirectory()
  const original = join(place, 'original')
  await (await newStore()).backup(original)
  for (const [what, { spoil, says }] of Object.entries(refusals)) {
    const directory = temporaryDirectory()
    const backup = join(place, what)
    copyFileSync(original, backup)
    copyFileSync(manifestPath(original), manifestPath(backup))
    spoil(backup, directory)
    const error = await restoreSqliteStore({ backup, directory }).catch((reason: unknown) => reason)
    expect(error, what).toBeInstanceOf(OpenError)
    expect(error, what).toMatchObject({ failure: says.failure })
    expect((error as Error).message, what).toMatch(says.message)
    expect(existsSync(storePath(directory)), what).toBe(false)
  }
})
