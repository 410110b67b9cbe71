import type { StoredObject } from '@stead/engine'
import { type EndingStatus, isProtected, type Part } from './model.ts'

/** Everything that the end of a whole depends on. */
export interface TeardownView {
  readonly whole: StoredObject<unknown, EndingStatus>
  /** What is left of each part, in the order in which they go. */
  readonly left: readonly { readonly part: Part; readonly objects: readonly StoredObject[] }[]
  /** Kinds of things inside it that are no part we know of. */
  readonly strangers: readonly string[]
}

export type TeardownDecision =
  | { readonly type: 'nothing' }
  /** Ends these, then waits until they are gone. */
  | { readonly type: 'end'; readonly part: Part; readonly objects: readonly StoredObject[] }
  | {
      readonly type: 'wait'
      readonly reason: 'PartsLeft' | 'InUse' | 'Protected' | 'UnknownParts'
      readonly message: string
    }
  | { readonly type: 'forget' }

/** At most this many in one change-set: a project of ten thousand things must not become one write. */
const mostAtOnce = 200

/** What comes next on the way out. Things that are in the way are touched only when the delete said `cascade`. */
export function decideTeardown({ whole, left, strangers }: TeardownView): TeardownDecision {
  if (whole.deletedAt === undefined) return { type: 'nothing' }
  const inTheWay = left.filter(({ part, objects }) => part.blocks && objects.some(isThere))
  if (inTheWay.length > 0 && whole.status.cascade !== true)
    return { type: 'wait', reason: 'InUse', message: `still has ${inTheWay.map(counted).join(', ')}` }
  const next = left.find(({ objects }) => objects.length > 0)
  if (next) {
    const { part } = next
    const untouched = next.objects.filter(isThere)
    const free = untouched.filter(object => !isProtected(object))
    if (free.length > 0) return { type: 'end', part, objects: free.slice(0, mostAtOnce) }
    // Protected since the delete was accepted: it waits until its owner says otherwise.
    if (untouched.length > 0) {
      const message = `still has ${counted({ part, objects: untouched })} protected from deletion`
      return { type: 'wait', reason: 'Protected', message }
    }
    return { type: 'wait', reason: 'PartsLeft', message: `waits for the end of ${counted(next)}` }
  }
  if (strangers.length > 0)
    return { type: 'wait', reason: 'UnknownParts', message: `still has things of these kinds: ${strangers.join(', ')}` }
  if (whole.finalizers.length > 0)
    return { type: 'wait', reason: 'PartsLeft', message: `waits for ${whole.finalizers.join(', ')}` }
  return { type: 'forget' }
}

const isThere = ({ deletedAt }: StoredObject) => deletedAt === undefined

const counted = ({ part, objects }: TeardownView['left'][number]) =>
  `${objects.length} ${objects.length === 1 ? part.kind : part.noun}`
