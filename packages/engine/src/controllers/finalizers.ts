import type { ChangeSetBuilder } from '../change-set-builder.ts'
import type { BaseStatus, ObjectDraft, StoredObject } from '../words/object.ts'

type Finalizers = Pick<ObjectDraft, 'finalizers'>

export const hasFinalizer = ({ finalizers }: Finalizers, name: string): boolean => finalizers.includes(name)

/** For `update`: the object is not removed before this name is taken off. Put it on before anything is made outside. */
export const addFinalizer = (object: Finalizers, name: string): Finalizers => ({
  finalizers: hasFinalizer(object, name) ? object.finalizers : [...object.finalizers, name],
})

/** For `update`: what this name stood for is cleaned up. */
export const removeFinalizer = (object: Finalizers, name: string): Finalizers => ({
  finalizers: hasFinalizer(object, name) ? object.finalizers.filter(other => other !== name) : object.finalizers,
})

/** On its way out, and nobody has anything left to clean up. */
export const mayBeRemoved = (object: Pick<ObjectDraft, 'finalizers' | 'deletedAt'>): boolean =>
  object.deletedAt !== undefined && object.finalizers.length === 0

/**
 * Takes the name off a deleted object. Whoever is last removes the object in the same change-set, and `release` adds
 * what goes with it: its keys, its counters. Nothing is removed behind a controller's back.
 */
export function letGo<Spec, Status extends BaseStatus>(
  set: ChangeSetBuilder,
  object: StoredObject<Spec, Status>,
  name: string,
  release?: (set: ChangeSetBuilder) => unknown,
): ChangeSetBuilder {
  const after = { ...object, ...removeFinalizer(object, name) }
  if (!mayBeRemoved(after)) return set.update(object, { finalizers: after.finalizers })
  release?.(set)
  return set.remove(object)
}
