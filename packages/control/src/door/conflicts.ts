import { type Conflict, ConflictError } from '@stead/engine'
import { fail, type Problem } from '../errors/problem.ts'
import type { Request } from './route.ts'

/** The request that met a conflict, as far as rules need to know it. */
export type Conflicted = Pick<Request, 'params' | 'query' | 'body' | 'caller' | 'place'>

/** What one kind of conflict means to a caller; undefined when it is another rule's to say. */
export type ConflictRule = (conflict: Conflict, request: Conflicted) => Problem | undefined

type Of<Type extends Conflict['type']> = Extract<Conflict, { type: Type }>

/** A key with this prefix is held by someone else: `onKey('widget-name/', (_, request) => fail('name_taken', …))`. */
export const onKey =
  (prefix: string, means: (conflict: Of<'key'>, request: Conflicted) => Problem): ConflictRule =>
  (conflict, request) =>
    conflict.type === 'key' && conflict.heldBy !== null && conflict.key.startsWith(prefix)
      ? means(conflict, request)
      : undefined

/** A counter with this prefix is at its limit. */
export const onLimit =
  (prefix: string, means: (conflict: Of<'limit'>, request: Conflicted) => Problem): ConflictRule =>
  (conflict, request) =>
    conflict.type === 'limit' && conflict.counter.startsWith(prefix) ? means(conflict, request) : undefined

/** Others were faster: what the handler read is no longer so. Reading again may well do. */
export const isRace = (error: unknown): error is ConflictError =>
  error instanceof ConflictError && ['revision', 'absent', 'missing'].includes(error.conflict.type)

/** What a conflict means where no rule says so. Fences and underflows are ours to keep right: bugs, not answers. */
export function explainConflict(
  error: ConflictError,
  rules: readonly ConflictRule[],
  request: Conflicted,
): Problem | undefined {
  const { conflict } = error
  for (const rule of rules) {
    const problem = rule(conflict, request)
    if (problem) return problem
  }
  if (isRace(error))
    return fail('conflict', 'it was changed by others each time this change was tried', { cause: error })
  if (conflict.type === 'key')
    return fail('conflict', 'something else holds a name this request needs', { cause: error })
  if (conflict.type !== 'limit') return undefined
  const { limit, value: used, asked } = conflict
  return fail('quota_exceeded', `${used} of ${limit} are in use, ${asked} more were asked for`, {
    cause: error,
    extensions: { limit, used, asked },
  })
}
