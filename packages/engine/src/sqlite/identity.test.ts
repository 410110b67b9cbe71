import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { newSet, readAll, widget } from '../conformance/fixture.suite.ts'
import { openSqliteStore, storePath } from './open-store.ts'
import type { SqliteStore } from './store.ts'
import { WritingProcess } from './tests/writing-process.ts'

const open = (directory: string) => openSqliteStore({ directory, world: realWorld })

/** Opens, does something, closes; answers who the store was. */
async function visit(directory: string, act: (store: SqliteStore) => Promise<unknown> = async () => {}) {
  const store = await open(directory)
  try {
    await act(store)
    return store.identity
  } finally {
    await store.close()
  }
}

const write = (id: string) => (store: SqliteStore) => store.commit(newSet().create(widget(id)))

test('another process has it: refused until that one is gone, even by kill -9', async () => {
  const place = temporaryDirectory()
  const [directory, compileCache] = [join(place, 'data'), join(place, 'cache')]
  mkdirSync(compileCache)
  const other = new WritingProcess({ directory, writers: 1, writes: 0, compileCache })
  onTestFinished(() => other.kill())
  other.go()
  await other.says('acknowledged')
  await expect(open(directory)).rejects.toMatchObject({ failure: 'in_use' })
  await expect(open(directory)).rejects.toThrow('in use by another process')
  await other.kill()
  const told = other.acknowledged().at(-1)!
  await visit(directory, async store => expect(store.head()).toBeGreaterThanOrEqual(told.revision))
})

test('an older copy put in the place of the store is found out, though its home is the same', async () => {
  const directory = temporaryDirectory()
  const path = storePath(directory)
  const identity = await visit(directory, write('a'))
  const older = readFileSync(path)
  await visit(directory, write('b'))
  // In place, as `cp` does: the inode stays.
  writeFileSync(path, older)
  expect(await visit(directory)).toEqual({ ...identity, epoch: 2, observeOnly: true })
  // From then on it is a store like any other, and its newer self is the stranger.
  expect(await visit(directory, store => store.resume())).toEqual({ ...identity, epoch: 2, observeOnly: false })
  expect(await visit(directory)).toEqual({ ...identity, epoch: 2, observeOnly: false })
})

test('a second return to the past gets an epoch of its own', async () => {
  const directory = temporaryDirectory()
  const path = storePath(directory)
  await visit(directory, write('a'))
  const older = readFileSync(path)
  const epochs: number[] = []
  for (const id of ['b', 'c']) {
    await visit(directory, write(id))
    writeFileSync(path, older)
    epochs.push((await visit(directory)).epoch)
  }
  expect(epochs).toEqual([2, 3])
})

test('a store that is moved, or whose lock file somebody removed, is still itself', async () => {
  const place = temporaryDirectory()
  const identity = await visit(join(place, 'here'), write('a'))
  renameSync(join(place, 'here'), join(place, 'there'))
  expect(await visit(join(place, 'there'))).toEqual(identity)
  rmSync(`${storePath(join(place, 'there'))}.lock`)
  expect(await visit(join(place, 'there'))).toEqual(identity)
})

test('the file alone, copied to another directory, is a copy', async () => {
  const [from, to] = [temporaryDirectory(), temporaryDirectory()]
  const identity = await visit(from, write('a'))
  copyFileSync(storePath(from), storePath(to))
  const found = await visit(to, async store => expect((await readAll(store)).objects).toHaveLength(1))
  expect(found).toEqual({ ...identity, epoch: 2, observeOnly: true })
})

test('a damaged lock file is told from a damaged store', async () => {
  const directory = temporaryDirectory()
  await visit(directory, write('a'))
  writeFileSync(`${storePath(directory)}.lock`, 'not a database, but long enough to be taken for one'.repeat(20))
  await expect(open(directory)).rejects.toThrow('stead.db.lock is damaged; nothing depends on it')
})

test('a lease does not outlive the one process that could hold it', async () => {
  const directory = temporaryDirectory()
  const request = { names: ['shard'], ttl: seconds(3_600) }
  await visit(directory, store => store.leases.acquire({ ...request, holder: 'a' }))
  await visit(directory, async store => {
    expect(await store.leases.renew({ ...request, holder: 'a' })).toEqual([])
    expect(await store.leases.acquire({ ...request, holder: 'b' })).toMatchObject([{ holder: 'b', fence: 2 }])
  })
})
