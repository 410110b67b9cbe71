import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { FileStaging } from './file-staging.ts'
import { StagingError } from './staging.ts'

const id = 'img_00000000-0000-7000-8000-000000000001'
const anything = () => {}

function open() {
  const directory = join(temporaryDirectory(), 'staging')
  return { directory, staging: new FileStaging(directory, realWorld) }
}

async function* of(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

async function read(staging: FileStaging) {
  const chunks: Uint8Array[] = []
  for await (const chunk of staging.open(id)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('what was put is there, as often as it is read, until it is removed', async () => {
  const { staging } = open()
  expect(await staging.has(id)).toBe(false)
  expect(await staging.put(id, of('a', 'bc'), anything)).toEqual({
    sizeBytes: 3,
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  })
  for (let time = 0; time < 2; time++) expect(await read(staging)).toBe('abc')
  expect(await staging.owners()).toEqual([id])
  await staging.remove(id)
  expect([await staging.has(id), await staging.owners()]).toEqual([false, []])
  await staging.remove(id)
})

test('what fails leaves what was there, and nothing of itself', async () => {
  const { staging, directory } = open()
  await staging.put(id, of('first'), anything)
  async function* broken() {
    yield Buffer.from('second')
    throw new Error('broken off')
  }
  await expect(staging.put(id, broken(), anything)).rejects.toThrow('broken off')
  const refuse = () => {
    throw new Error('refused')
  }
  await expect(staging.put(id, of('second'), refuse)).rejects.toThrow('refused')
  expect(await read(staging)).toBe('first')
  expect(readdirSync(directory)).toEqual([`${id}.image`])
})

test('two at once do not mix', async () => {
  const { staging, directory } = open()
  const long = (letter: string) => Array.from({ length: 50 }, () => letter.repeat(1_000))
  await Promise.all([staging.put(id, of(...long('a')), anything), staging.put(id, of(...long('b')), anything)])
  expect(new Set(await read(staging)).size).toBe(1)
  expect(readdirSync(directory)).toEqual([`${id}.image`])
})

test('what the place itself cannot do is told apart, and what is not ours is left alone', async () => {
  const { staging, directory } = open()
  mkdirSync(directory)
  writeFileSync(join(directory, 'notes.txt'), 'mine')
  await expect(read(staging)).rejects.toBeInstanceOf(StagingError)
  expect(await staging.owners()).toEqual([])
  await staging.remove('notes')
  expect(readdirSync(directory)).toEqual(['notes.txt'])
  const blocked = new FileStaging(join(directory, 'notes.txt'), realWorld)
  await expect(blocked.put(id, of('x'), anything)).rejects.toBeInstanceOf(StagingError)
})
