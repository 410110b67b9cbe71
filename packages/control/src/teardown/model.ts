import type { BaseStatus, ChangeSetBuilder, Kind, StoredObject, View } from '@stead/engine'
import { Condition } from '../resource/model.ts'
import { Type } from '../schema/type.ts'

/** Something that others are part of: it is gone only after them. */
export interface Whole {
  readonly kind: string
  /** What goes before it, in this order: nothing of a later kind is touched while something of an earlier one is left. */
  readonly parts: readonly Part[]
  /** The keys it holds, free for others once it is gone. */
  keys(object: StoredObject): readonly string[]
  /** What else is written when it goes, in the same change-set. */
  besides?(set: ChangeSetBuilder, everything: View, object: StoredObject): void
  /** Everything that is in it, where it is a place: what nobody described as a part is found here, and holds up its end. */
  inside?(everything: View, object: StoredObject): View
}

/** How things of one kind are part of a whole. */
export interface Part {
  readonly kind: string
  /** `instances`: who may read them is told that they are in the way. */
  readonly noun: string
  /** Whether it stands in the way of a delete that does not say `cascade`. */
  readonly blocks: boolean
  /** Those that are left, through an index. */
  find(everything: View, whole: StoredObject): readonly StoredObject[]
  /** Whose part this one is; it may be of several. */
  wholeOf(part: StoredObject): string | readonly string[] | undefined
  /** `remove` takes it away at once; `mark` leaves that to its own controller. */
  readonly end: 'remove' | 'mark'
  /** The keys it holds; of use only where it is removed at once. */
  keys?(part: StoredObject): readonly string[]
}

/** Whether its owner said that it is not to be ended: nobody does that in passing. */
export const isProtected = ({ spec }: StoredObject): boolean =>
  (spec as { readonly deletionProtection?: boolean }).deletionProtection === true

/** Of anything that can be torn down. */
export interface EndingStatus extends BaseStatus {
  /** Set by the delete that said so: what is in the way goes too. */
  readonly cascade?: boolean
  /** The id of who asked for its end, or for that of the whole it is part of. */
  readonly deletedBy?: string
}

/** What callers see of it: the condition that says what holds up its end. */
export const ShownEndingStatus = Type.Object({ conditions: Type.Optional(Type.Array(Condition)) })

interface Typed<T extends StoredObject> extends Pick<Whole, 'parts' | 'inside'> {
  readonly keys: (object: T) => readonly string[]
  readonly besides?: (set: ChangeSetBuilder, everything: View, object: T) => void
}

/** Describes a whole with the type of its objects. */
export const whole = <T extends StoredObject>(kind: Kind<T>, { keys, parts, besides, inside }: Typed<T>): Whole => ({
  kind,
  parts,
  keys: object => keys(object as T),
  ...(besides && { besides: (set, everything, object) => besides(set, everything, object as T) }),
  ...(inside && { inside }),
})
