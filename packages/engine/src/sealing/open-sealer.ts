import { existsSync } from 'node:fs'
import type { World } from '@stead/world'
import { changeSet } from '../change-set-builder.ts'
import { ConflictError } from '../words/errors.ts'
import type { Store } from '../words/store.ts'
import { createKeyFile, readKeyFile } from './key-file.ts'
import { SealError } from './seal-error.ts'
import { SealKey } from './seal-key.ts'
import { Sealer } from './sealer.ts'

export interface SealerOptions {
  readonly world: World
  /** Where the key is kept; made when nothing was ever sealed. Not needed when `key` is given. */
  readonly keyFile?: string
  /** The key itself, base64 of 32 bytes, e.g. from the environment. */
  readonly key?: string
  /** Keys that sealed before, in the form of `key`: they open, but no longer seal. */
  readonly olderKeys?: readonly string[]
}

/**
 * The store's record of the key it is sealed with. A key of the store, because taking one is checked and durable, and
 * the same on every database: of two nodes that start with different keys, one is told so.
 */
const record = 'engine/seal-key'

/**
 * Opens the sealer of a store. A missing or wrong key is found here, at the start, and not when a secret is needed;
 * a key is made only for a store that has none on record. A new key with the old one among `olderKeys` is a rotation.
 */
export async function openSealer(store: Store, options: SealerOptions): Promise<Sealer> {
  const recorded = await store.keyHolder(record)
  const older = (options.olderKeys ?? []).map((text, index) => SealKey.parse(text, `older seal key ${index + 1}`))
  const sealer = new Sealer(options.world, findKey(options, recorded), older)
  if (recorded === sealer.fingerprint) return sealer
  if (recorded !== undefined && !sealer.knows(recorded)) throw wrongKey(sealer.fingerprint, recorded)
  try {
    const note = changeSet(options.world)
    if (recorded !== undefined) note.release(record, recorded)
    await store.commit(note.take(record, sealer.fingerprint))
  } catch (error) {
    // Another node was first, perhaps with the same key.
    const winner = error instanceof ConflictError ? await store.keyHolder(record) : undefined
    if (winner === undefined) throw error
    if (winner !== sealer.fingerprint) throw wrongKey(sealer.fingerprint, winner)
  }
  return sealer
}

function findKey({ world, key, keyFile }: SealerOptions, recorded: string | undefined): SealKey {
  if (key !== undefined) return SealKey.parse(key, 'the given seal key')
  if (keyFile === undefined) throw new SealError('key_missing', 'neither a seal key nor a file for it was given')
  if (existsSync(keyFile)) return readKeyFile(keyFile)
  if (recorded === undefined) return createKeyFile(keyFile, world)
  throw new SealError(
    'key_missing',
    `${keyFile} is missing: secrets were sealed with key ${recorded}; put it back there`,
  )
}

const wrongKey = (given: string, recorded: string) =>
  new SealError(
    'wrong_key',
    `this is seal key ${given}, but secrets were sealed with ${recorded}: use that one, or give it as an older key`,
  )
