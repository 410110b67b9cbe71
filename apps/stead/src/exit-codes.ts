import type { OpenError, OpenFailure } from '@stead/engine'
import { explainRefusal } from './client/explain-refusal.ts'

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
  refused: {
    code: 20,
    meaning: 'the server refused what was asked',
    remedy: 'do what the message suggests',
  },
  no_server: {
    code: 21,
    meaning: 'no Stead answers at that address',
    remedy: 'start it with `stead serve`, or say where it is with --url or `stead login`',
  },
  unauthenticated: {
    code: 22,
    meaning: 'there is no token, or the server does not accept it',
    remedy: 'log in again with `stead login`, or give a valid token in STEAD_TOKEN',
  },
  forbidden: {
    code: 23,
    meaning: 'the token does not give the right to that',
    remedy: 'ask whoever administers the project for a role with the permission that is named',
  },
  not_found: {
    code: 24,
    meaning: 'there is no such thing, or it is gone',
    remedy: 'check its name and the project: `stead ps` lists instances, `stead contexts` says where you are',
  },
  timeout: {
    code: 25,
    meaning: 'it was not as wanted in time; the server goes on with it',
    remedy: 'wait longer with --timeout, or look at its events: `stead events <name>`',
  },
  failed: {
    code: 26,
    meaning: 'the instance failed',
    remedy: 'look at its events: `stead events <name>`',
  },
  declined: {
    code: 27,
    meaning: 'something would be destroyed, and nobody said yes',
    remedy: 'read what would be lost, and say --yes if that is what you want',
  },
  interrupted: {
    code: 130,
    meaning: 'Ctrl-C; what was accepted before goes on on the server',
    remedy: 'come back to it with the command that the message names',
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

/** Told by name: loading what throws them takes longer than most commands do. */
function reasonOf(error: unknown): ExitReason | undefined {
  if (error instanceof StartError) return error.reason
  if (!(error instanceof Error)) return undefined
  if (error.name === 'SealError') return 'seal_key'
  if (error.name === 'Interrupted') return 'interrupted'
  return error.name === 'OpenError' ? (error as OpenError).failure : undefined
}

/** What to tell a person about an error that ended the program, and the code to end with. */
export function explain(error: unknown): { readonly code: number; readonly text: string } {
  const refusal = explainRefusal(error)
  const reason = refusal?.reason ?? reasonOf(error)
  if (reason === undefined) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { code: exitCodes.bug.code, text: `stead: this is a bug: ${exitCodes.bug.remedy}\n${detail}` }
  }
  const { code, remedy } = exitCodes[reason]
  const message = refusal?.text ?? (error as Error).message
  return { code, text: saysItself.includes(reason) ? `stead: ${message}` : `stead: ${message}\nstead: ${remedy}` }
}

/** Where the message already says what to do. */
const saysItself: readonly ExitReason[] = ['usage', 'refused', 'forbidden', 'declined', 'interrupted']
