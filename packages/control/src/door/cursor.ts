import { createHash } from 'node:crypto'
import { fail } from '../errors/problem.ts'

/**
 * Where a list goes on: after this object, in this order. Ids and sort values never change, so it stays right while
 * things do.
 */
export interface Position {
  readonly id: string
  /** The value it is sorted by, when that is not the id. */
  readonly key?: string | number
}

/** Names what a list is of: a cursor of one list means nothing in another. */
export const fingerprint = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12)

export const writeCursor = ({ id, key }: Position, list: string): string =>
  Buffer.from(JSON.stringify(key === undefined ? [list, id] : [list, id, key])).toString('base64url')

/** Refuses what we did not write, and what we wrote for another list. */
export function readCursor(cursor: string, list: string): Position {
  const [ofList, id, key] = decode(cursor)
  const isKey = key === undefined || typeof key === 'string' || typeof key === 'number'
  if (typeof ofList !== 'string' || typeof id !== 'string' || !isKey) throw refusal('is not one we gave')
  if (ofList !== list) throw refusal('belongs to a list with other filters or another order')
  return key === undefined ? { id } : { id, key }
}

function decode(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const refusal = (message: string) =>
  fail('invalid_request', `the cursor ${message}`, {
    errors: [{ path: '?cursor', message }],
    suggestion: 'begin again without a cursor',
  })
