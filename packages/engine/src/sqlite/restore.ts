import { chmod, copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OpenError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import type { StoreIdentity } from '../words/store.ts'
import { type BackupManifest, checkIntegrity, readManifest, syncAndHash, syncDirectory } from './backup.ts'
import { asOpenError } from './failure.ts'
import { homeOf, readIdentity, writeIdentity } from './identity.ts'
import { StoreLock } from './lock.ts'
import { checkVersion } from './open.ts'
import { storePath } from './open-store.ts'
import { applicationId } from './schema.ts'

export interface RestoreRequest {
  /** The file that `SqliteStore.backup` wrote; its manifest lies beside it. */
  readonly backup: string
  /** Empty or not there yet. */
  readonly directory: string
}

export interface Restored {
  readonly identity: StoreIdentity
  readonly revision: Revision
  readonly takenAt: string
}

/**
 * Puts a backup in place as the store of an empty directory. It starts a new epoch and only observes until it is
 * resumed: what it remembers is older than what is out there. The seal key is not in a backup and must be put beside it.
 */
export async function restoreSqliteStore({ backup, directory }: RestoreRequest): Promise<Restored> {
  const manifest = await readManifest(backup)
  checkVersion(backup, { application: applicationId, version: manifest.schema })
  const path = storePath(directory)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const [found] = await readdir(directory)
    if (found)
      throw new OpenError('unwritable', `${directory} is not empty (${found}): restore into an empty directory`)
  } catch (error) {
    throw asOpenError(error, path)
  }
  const lock = StoreLock.take(path)
  try {
    return await putInPlace(backup, path, manifest)
  } catch (error) {
    await rm(partialOf(path), { force: true })
    throw asOpenError(error, path)
  } finally {
    lock.release()
  }
}

const partialOf = (path: string): string => `${path}.partial`

async function putInPlace(backup: string, path: string, manifest: BackupManifest): Promise<Restored> {
  const partial = partialOf(path)
  await copyFile(backup, partial)
  await chmod(partial, 0o600)
  const { bytes, sha256 } = await syncAndHash(partial)
  if (bytes !== manifest.bytes || sha256 !== manifest.sha256)
    throw new OpenError('corrupt', `${backup} is not what its manifest says it was: use another backup`)
  const identity = startNewEpoch(partial)
  await syncAndHash(partial)
  await rename(partial, path)
  await syncDirectory(dirname(path))
  return { identity, revision: manifest.revision, takenAt: manifest.takenAt }
}

function startNewEpoch(path: string): StoreIdentity {
  const database = new DatabaseSync(path)
  try {
    checkIntegrity(database, path)
    const { identity } = readIdentity(database)!
    const restored = { ...identity, epoch: identity.epoch + 1, observeOnly: true }
    writeIdentity(database, restored, homeOf(path))
    return restored
  } finally {
    database.close()
  }
}
