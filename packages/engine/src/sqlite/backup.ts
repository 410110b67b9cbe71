import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { type Instant, isoTime } from '@stead/world'
import { OpenError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import { corrupt } from './failure.ts'
import { homeless, readIdentity, writeIdentity } from './identity.ts'
import { openForReading } from './open.ts'
import { SqliteReader } from './reader.ts'
import { migrations } from './schema.ts'

/** What a backup says of itself, in a file beside it. */
export interface BackupManifest {
  readonly format: 1
  readonly storeId: string
  readonly epoch: number
  /** The log position it is of. */
  readonly revision: Revision
  readonly schema: number
  readonly bytes: number
  readonly sha256: string
  readonly takenAt: string
}

export const manifestPath = (backup: string): string => `${backup}.json`

export interface BackupRequest {
  readonly source: string
  readonly target: string
  readonly now: Instant
}

/**
 * Copies a store while it runs, all of it at one revision. Runs on a thread of its own.
 * Under its final name there is only ever a whole backup that was read back and found good.
 */
export async function writeBackup({ source, target, now }: BackupRequest): Promise<BackupManifest> {
  for (const path of [target, manifestPath(target)]) if (existsSync(path)) throw new Error(`${path} exists already`)
  const partial = `${target}.partial`
  await rm(partial, { force: true })
  try {
    await (await open(partial, 'wx', 0o600)).close()
    copyAtOneRevision(source, partial)
    const about = sealOff(partial)
    const { bytes, sha256 } = await syncAndHash(partial)
    const manifest: BackupManifest = { format: 1, ...about, bytes, sha256, takenAt: isoTime(now) }
    await writeFile(manifestPath(target), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(partial, target)
    await syncDirectory(dirname(target))
    return manifest
  } catch (error) {
    await rm(partial, { force: true })
    await rm(manifestPath(target), { force: true })
    throw error
  }
}

/** In one read transaction, so it holds up no writer; what was deleted does not come along. */
function copyAtOneRevision(source: string, target: string): void {
  const database = openForReading(source)
  try {
    database.prepare('VACUUM INTO ?').run(target)
  } finally {
    database.close()
  }
}

/** Marks the copy as one, wherever it is opened, and makes sure that it is whole. */
function sealOff(path: string): Pick<BackupManifest, 'storeId' | 'epoch' | 'revision' | 'schema'> {
  const database = new DatabaseSync(path)
  try {
    const { identity } = readIdentity(database)!
    writeIdentity(database, identity, homeless)
    checkIntegrity(database, path)
    const { storeId, epoch } = identity
    return { storeId, epoch, revision: new SqliteReader(database).head(), schema: migrations.length }
  } finally {
    database.close()
  }
}

export function checkIntegrity(database: DatabaseSync, path: string): void {
  const { integrity_check } = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string }
  if (integrity_check !== 'ok') throw corrupt(path, integrity_check)
}

/** On disk, and what is on disk. */
export async function syncAndHash(path: string): Promise<{ bytes: number; sha256: string }> {
  const file = await open(path, 'r')
  await file.sync()
  await file.close()
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync()
  await directory.close()
}

export async function readManifest(backup: string): Promise<BackupManifest> {
  const path = manifestPath(backup)
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new OpenError('corrupt', `${backup} can't be restored without its manifest ${path} (${error.message})`)
  })
  try {
    const manifest = JSON.parse(text) as BackupManifest
    if (manifest.format === 1) return manifest
  } catch {}
  throw new OpenError('corrupt', `${path} is not the manifest of a backup`)
}
