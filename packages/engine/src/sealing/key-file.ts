import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { World } from '@stead/world'
import { SealError } from './seal-error.ts'
import { keyBytes, SealKey } from './seal-key.ts'

/** Reads a key file, which only its owner may read. */
export function readKeyFile(path: string): SealKey {
  const { mode } = statSync(path)
  if ((mode & 0o077) !== 0)
    throw new SealError('key_unusable', `${path} can be read by others: chmod 600 it, and consider a new key`)
  return SealKey.parse(readFileSync(path, 'utf8'), path)
}

/** Makes a new key. On disk before anything is sealed with it, and never in the place of another. */
export function createKeyFile(path: string, world: World): SealKey {
  const text = `${Buffer.from(world.randomBytes(keyBytes)).toString('base64')}\n`
  const partial = `${path}.partial`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(partial, { force: true })
  const file = openSync(partial, 'wx', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  try {
    // A link, unlike a rename, fails when there is a key already.
    linkSync(partial, path)
  } finally {
    rmSync(partial)
  }
  const directory = openSync(dirname(path), 'r')
  fsyncSync(directory)
  closeSync(directory)
  return readKeyFile(path)
}
