import { OpenError, type OpenFailure, SealError } from '@stead/engine'

interface ExitCode {
  readonly code: number
  readonly meaning: string
  /** What whoever started it can do. */
  readonly remedy: string
}

/** Every way `stead` ends, in one place. docs/exit-codes.md shows the same table; a test holds them together. */
export const exitCodes = {
  ok: { code: 0, meaning: 'it did what was asked, or was told to stop', remedy: 'nothing to do' },
  bug: { code: 1, meaning: 'a bug in Stead', remedy: 'report it with the message and the log' },
  usage: { code: 2, meaning: 'wrong usage or configuration', remedy: 'correct the setting that the message names' },
  unwritable: {
    code: 10,
    meaning: 'the data directory cannot be written',
    remedy: 'give the user that runs Stead write access to it, or choose another with --data',
  },
  in_use: {
    code: 11,
    meaning: 'the store is in use by another process',
    remedy: 'stop the other Stead that uses this data directory, or choose another with --data',
  },
  corrupt: {
    code: 12,
    meaning: 'the store is damaged',
    remedy: 'keep a copy of the data directory as it is, and restore a backup into a new one',
  },
  disk_full: {
    code: 13,
    meaning: 'the disk is full',
    remedy: 'free space on the file system of the data directory, then start again',
  },
  newer_schema: {
    code: 14,
    meaning: 'the store was written by a newer version',
    remedy: 'start the version of Stead that wrote it, or a newer one',
  },
  address_in_use: {
    code: 15,
    meaning: 'the address to listen on is in use',
    remedy: 'stop what listens there, or choose another address with --listen',
  },
  unreachable: {
    code: 16,
    meaning: 'the database cannot be reached',
    remedy: 'check the address given with --database, and that the database runs and lets Stead in',
  },
  backup_failed: {
    code: 17,
    meaning: 'the backup could not be written',
    remedy: 'choose a file that does not exist yet, on a disk with room for it',
  },
  seal_key: {
    code: 18,
    meaning: 'the key that seals secrets is missing, unusable or not the one they were sealed with',
    remedy: 'put the key back where the message says, or give it with STEAD_SEAL_KEY; no other can open what it sealed',
  },
} as const satisfies Record<OpenFailure, ExitCode> & Record<string, ExitCode>

export type ExitReason = keyof typeof exitCodes

/** Stead cannot go on, for a reason that is not a bug. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly reason: ExitReason
  constructor(reason: ExitReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

function reasonOf(error: unknown): ExitReason | undefined {
  if (error instanceof StartError) return error.reason
  if (error instanceof SealError) return 'seal_key'
  return error instanceof OpenError ? error.failure : undefined
}

/** What to tell a person about an error that ended the program, and the code to end with. */
export function explain(error: unknown): { readonly code: number; readonly text: string } {
  const reason = reasonOf(error)
  if (reason === undefined) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { code: exitCodes.bug.code, text: `stead: this is a bug: ${exitCodes.bug.remedy}\n${detail}` }
  }
  const { code, remedy } = exitCodes[reason]
  const { message } = error as Error
  // A message about a setting already says which one to correct.
  return { code, text: reason === 'usage' ? `stead: ${message}` : `stead: ${message}\nstead: ${remedy}` }
}
