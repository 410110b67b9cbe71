import { UnavailableError } from '../words/errors.ts'
import { corrupt, type SqliteFailure, sqliteFailure } from './failure.ts'

/** An error on its way between threads, where an Error would lose all but its message. */
export interface ThreadFailure {
  readonly failed: string
  readonly sqlite?: SqliteFailure
}

export function threadFailure(error: unknown): ThreadFailure {
  const sqlite = sqliteFailure(error)
  const failed = error instanceof Error ? (sqlite ? error.message : (error.stack ?? error.message)) : String(error)
  return sqlite ? { failed, sqlite } : { failed }
}

export const isFailure = (answer: object): answer is ThreadFailure => 'failed' in answer

/** What the caller of one operation is told. */
export function callerError({ failed, sqlite }: ThreadFailure, path: string): Error {
  switch (sqlite?.failure) {
    case undefined:
      return new Error(failed)
    case 'disk_full':
      return new UnavailableError(`the disk that holds ${path} is full: nothing was written`)
    case 'in_use':
      return new UnavailableError(`${path} is locked by another program: nothing was written`)
    default:
      return new UnavailableError(`${path} can't be used: ${failed}`)
  }
}

/** Why the store as a whole cannot go on; undefined when the next operation may succeed. */
export function fatalError({ failed, sqlite }: ThreadFailure, path: string): Error | undefined {
  if (sqlite?.failure === 'corrupt') return corrupt(path, failed)
  if (sqlite?.uncertain)
    return new UnavailableError(
      `the disk that holds ${path} failed to sync (${failed}): stop here, check the disk, and start again; what was acknowledged is safe`,
    )
  return undefined
}
