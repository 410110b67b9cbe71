import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { bytes, newSet, widget } from '../conformance/fixture.suite.ts'
import { openSqliteStore } from '../sqlite/open-store.ts'
import { openSealer } from './open-sealer.ts'

async function newStore() {
  const directory = temporaryDirectory()
  const store = await openSqliteStore({ directory, world: realWorld })
  onTestFinished(() => store.close())
  return { store, directory, keyFile: join(directory, 'seal.key') }
}

const world = realWorld
const newKeyText = () => Buffer.from(realWorld.randomBytes(32)).toString('base64')

test('a key is made once, for its owner only, and found again', async () => {
  const { store, keyFile } = await newStore()
  const { sealed } = (await openSealer(store, { world, keyFile })).seal(bytes('secret'))
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  const before = readFileSync(keyFile, 'utf8')
  expect((await openSealer(store, { world, keyFile })).open(sealed)).toEqual(bytes('secret'))
  expect(readFileSync(keyFile, 'utf8')).toBe(before)
})

test('a lost key is missed at the start, and no other is made in its place', async () => {
  const { store, keyFile } = await newStore()
  const { fingerprint } = await openSealer(store, { world, keyFile })
  rmSync(keyFile)
  await expect(openSealer(store, { world, keyFile })).rejects.toMatchObject({ failure: 'key_missing' })
  await expect(openSealer(store, { world, keyFile })).rejects.toThrow(fingerprint)
  expect(existsSync(keyFile)).toBe(false)
})

test('a wrong key is refused at the start', async () => {
  const { store, keyFile } = await newStore()
  await openSealer(store, { world, keyFile })
  await expect(openSealer(store, { world, key: newKeyText() })).rejects.toMatchObject({ failure: 'wrong_key' })
  writeFileSync(keyFile, newKeyText())
  await expect(openSealer(store, { world, keyFile })).rejects.toMatchObject({ failure: 'wrong_key' })
})

test('a key that others can read, or that is none, is refused', async () => {
  const { store, keyFile } = await newStore()
  await openSealer(store, { world, keyFile })
  chmodSync(keyFile, 0o640)
  await expect(openSealer(store, { world, keyFile })).rejects.toThrow('chmod 600')
  chmodSync(keyFile, 0o600)
  writeFileSync(keyFile, 'not a key')
  await expect(openSealer(store, { world, keyFile })).rejects.toMatchObject({ failure: 'key_unusable' })
  await expect(openSealer(store, { world })).rejects.toMatchObject({ failure: 'key_missing' })
})

test('rotation: a new key with the old one beside it seals from then on, and the old one alone is refused', async () => {
  const { store } = await newStore()
  const [first, second] = [newKeyText(), newKeyText()]
  const { sealed } = (await openSealer(store, { world, key: first })).seal(bytes('old'))
  const rotated = await openSealer(store, { world, key: second, olderKeys: [first] })
  expect(rotated.open(sealed)).toEqual(bytes('old'))
  await expect(openSealer(store, { world, key: first })).rejects.toMatchObject({ failure: 'wrong_key' })
  expect((await openSealer(store, { world, key: second })).fingerprint).toBe(rotated.fingerprint)
})

test('of two that start at once with different keys, one is told', async () => {
  const { store } = await newStore()
  const starts = [newKeyText(), newKeyText()].map(key => openSealer(store, { world, key }))
  const results = await Promise.allSettled(starts)
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(result => result.status === 'rejected')?.reason).toMatchObject({ failure: 'wrong_key' })
})

test('a backup holds sealed blobs, and neither what is in them nor the key', async () => {
  const { store, directory, keyFile } = await newStore()
  const sealer = await openSealer(store, { world, keyFile })
  const owner = { kind: 'widget', id: 'w' }
  const { hash, sealed } = sealer.seal(bytes('correct horse battery staple'))
  await store.commit(newSet().create(widget('w')).blob({ owner, hash, sealed }))
  await store.backup(join(directory, 'backup'))
  const backup = readFileSync(join(directory, 'backup'))
  expect(backup.includes(Buffer.from(sealed))).toBe(true)
  const key = readFileSync(keyFile, 'utf8').trim()
  for (const secret of ['correct horse', key, Buffer.from(key, 'base64')]) expect(backup.includes(secret)).toBe(false)
  expect(sealer.open((await store.blob(owner, hash))!)).toEqual(bytes('correct horse battery staple'))
})
