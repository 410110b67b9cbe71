import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { OpenError, type OpenFailure } from '../words/errors.ts'

/** SQLite's primary result codes; the low byte of an extended one. */
const failures: Record<number, OpenFailure> = {
  3: 'unwritable', // PERM
  5: 'in_use', // BUSY
  6: 'in_use', // LOCKED
  8: 'unwritable', // READONLY
  10: 'unwritable', // IOERR
  11: 'corrupt', // CORRUPT
  13: 'disk_full', // FULL
  14: 'unwritable', // CANTOPEN
  26: 'corrupt', // NOTADB
}

const systemFailures: Record<string, OpenFailure> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EACCES: 'unwritable',
  EPERM: 'unwritable',
  EROFS: 'unwritable',
  ENOENT: 'unwritable', // what making a directory on a read-only disk ends in
  ENOTDIR: 'unwritable',
  EEXIST: 'unwritable',
  EISDIR: 'unwritable',
  EIO: 'unwritable',
}

export interface SqliteFailure {
  readonly failure: OpenFailure
  readonly message: string
  /**
   * The disk refused to sync. What was written may or may not be there after a restart, and asking again could be told
   * "yes" about pages the kernel has already dropped: only a restart, which reads what is really there, can tell.
   */
  readonly uncertain: boolean
}

/** IOERR_FSYNC, IOERR_DIR_FSYNC. */
const syncFailures = [1_034, 1_290]

/** What went wrong, if the disk or the file is to blame; undefined for a bug of ours. */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { errcode, code } = error as Error & { errcode?: number; code?: string }
  const failure = errcode === undefined ? systemFailures[code ?? ''] : failures[errcode & 0xff]
  if (!failure) return undefined
  return { failure, message: error.message, uncertain: syncFailures.includes(errcode ?? 0) }
}

/** Turns whatever opening threw into what a person can act on. */
export function asOpenError(error: unknown, path: string): unknown {
  if (error instanceof OpenError) return error
  const found = sqliteFailure(error)
  if (!found) return error
  const failure = found.failure === 'unwritable' && isFull(path) ? 'disk_full' : found.failure
  return new OpenError(failure, `${advice(failure, path)} (${found.message})`, { cause: error })
}

function advice(failure: OpenFailure, path: string): string {
  switch (failure) {
    case 'in_use':
      return `${path} is in use by another process: stop that one first, or choose another data directory`
    case 'corrupt':
      return `${path} is damaged: keep it for inspection, and restore the last backup into an empty directory`
    case 'disk_full':
      return `the disk that holds ${path} is full: free some space and start again; nothing was lost`
    default:
      return `${path} can't be written: check that the directory exists, belongs to this user and is not mounted read-only`
  }
}

export const corrupt = (path: string, why: string) => new OpenError('corrupt', `${advice('corrupt', path)} (${why})`)

/** On a full disk SQLite can't make its shared-memory file and reports an I/O error; the free space tells them apart. */
function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < 65_536
  } catch {
    return false
  }
}
