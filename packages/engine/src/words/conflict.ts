import type { Ref, Revision } from './object.ts'
import { refKey } from './object.ts'

/** Which expectation failed, and what was found instead. */
export type Conflict =
  | { readonly type: 'revision'; readonly ref: Ref; readonly expected: Revision; readonly actual: Revision | null }
  | { readonly type: 'absent'; readonly ref: Ref; readonly actual: Revision }
  | { readonly type: 'missing'; readonly ref: Ref }
  | { readonly type: 'key'; readonly key: string; readonly wanted: string; readonly heldBy: string | null }
  | { readonly type: 'fence'; readonly lease: string; readonly expected: number; readonly actual: number | null }
  | {
      readonly type: 'limit'
      readonly counter: string
      readonly limit: number
      readonly value: number
      readonly asked: number
    }
  | { readonly type: 'underflow'; readonly counter: string; readonly value: number; readonly asked: number }

export function describeConflict(conflict: Conflict): string {
  switch (conflict.type) {
    case 'revision':
      return conflict.actual === null
        ? `${refKey(conflict.ref)} is gone, expected revision ${conflict.expected}`
        : `${refKey(conflict.ref)} is at revision ${conflict.actual}, expected ${conflict.expected}`
    case 'absent':
      return `${refKey(conflict.ref)} exists already, at revision ${conflict.actual}`
    case 'missing':
      return `${refKey(conflict.ref)} does not exist`
    case 'key':
      return conflict.heldBy === null
        ? `key ${conflict.key} is not held by ${conflict.wanted}`
        : `key ${conflict.key} is held by ${conflict.heldBy}`
    case 'fence':
      return `lease ${conflict.lease} moved on to fence ${conflict.actual ?? 'none'}, held ${conflict.expected}`
    case 'limit':
      return `counter ${conflict.counter} is at ${conflict.value} of ${conflict.limit}, asked for ${conflict.asked} more`
    case 'underflow':
      return `counter ${conflict.counter} is at ${conflict.value}, cannot take ${-conflict.asked} away`
  }
}
