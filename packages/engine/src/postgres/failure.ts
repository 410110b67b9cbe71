import { DatabaseError } from 'pg'
import { UnavailableError } from '../words/errors.ts'

/**
 * What a failed request to PostgreSQL means.
 * - `passing`: the server, the way to it, or its turn was not to be had; the same request may work in a moment.
 * - `refused`: it is there and will not have us, until somebody changes something.
 * - `bug`: the request itself is wrong, and will be wrong again.
 */
export type FailureKind = 'passing' | 'refused' | 'bug'

/** Classes of SQLSTATE, and single states that differ from their class. See PostgreSQL's appendix A. */
const kinds: Readonly<Record<string, FailureKind>> = {
  '08': 'passing', // connection exception
  '25006': 'passing', // read-only: a standby, or a primary that is about to become one
  '25P03': 'passing', // idle in transaction for too long
  '26': 'passing', // a prepared statement is gone: see isMixedUp
  '28': 'refused', // not authorised
  '3D': 'refused', // no such database
  '40': 'passing', // serialization failure, deadlock
  '42P05': 'passing', // a prepared statement is there already: see isMixedUp
  '42501': 'refused', // no right to do this
  '53': 'passing', // out of disk, memory, connections
  '55P03': 'passing', // the lock was not to be had in time
  '57': 'passing', // cancelled, shutting down, starting up
  '58': 'passing', // input or output error
}

export function failureKind(error: unknown): FailureKind {
  if (error instanceof DatabaseError) return kinds[error.code ?? ''] ?? kinds[error.code?.slice(0, 2) ?? ''] ?? 'bug'
  if (isTlsRefusal(error)) return 'refused'
  // Whatever else is not an answer of the server is about the way to it: a socket's error, or pg's own.
  return error instanceof Error && !isProgrammingMistake(error) ? 'passing' : 'bug'
}

/** Either side's certificate, or its lack, is not what the other wants. Node's codes are OpenSSL's names. */
const isTlsRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  (/CERT|_TLS_|UNABLE_TO_|SELF_SIGNED/.test(String((error as NodeJS.ErrnoException).code)) ||
    error.message === 'The server does not support SSL connections')

const isProgrammingMistake = (error: Error) =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError

/** Whether the server can't be written to, for now or as what it is. */
export const isReadOnly = (error: unknown): boolean => error instanceof DatabaseError && error.code === '25006'

/** Whether a pooler gives us another's session for a statement, so that what we prepared is not there. */
export const isMixedUp = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === '26000' || error.code === '42P05')

/** Whether a pooler between us and PostgreSQL would not pass on a setting of the session. */
export const isRefusedSetting = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '08P01' && /startup parameter/.test(error.message)

/** What happened, for people: never with a password in it, which neither PostgreSQL nor pg puts there. */
export function describeFailure(error: unknown): string {
  if (isReadOnly(error)) return 'the database is read-only'
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message
  return error instanceof Error ? error.message : String(error)
}

/** What the store's callers are told: that it can't serve now, unless it is we who made a mistake. */
export const asCallerError = (error: unknown): unknown =>
  failureKind(error) === 'bug' ? error : new UnavailableError(describeFailure(error), { cause: error })
