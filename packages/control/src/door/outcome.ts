import {
  type ChangeSet,
  canonicalJson,
  type Ref,
  type Revision,
  type StoredObject,
  sameRef,
  type View,
} from '@stead/engine'
import type { Outcome } from './services.ts'

/**
 * How objects will look once a change-set has applied, known before it has: what it puts, with the revision it will
 * have and the generation that follows from the version it expects to replace.
 */
export function outcomeOf(changeSet: ChangeSet, everything: View, revision: Revision): Outcome {
  return {
    object(draft) {
      const put = changeSet.puts.find(each => sameRef(each, draft))
      if (!put) throw new Error(`${draft.kind} ${draft.id} is answered but not put`)
      return { ...draft, generation: generationOf(changeSet, put, everything), revision } as StoredObject<never, never>
    },
  }
}

function generationOf(changeSet: ChangeSet, put: Ref & { readonly spec: unknown }, everything: View): number {
  const expected = changeSet.expect.find(each => 'ref' in each && sameRef(each.ref, put))
  if (!expected) throw new Error(`${put.kind} ${put.id} is answered, and its change-set expects no version of it`)
  if (expected.type === 'absent') return 1
  const before = everything.get(put.kind, put.id)
  // Gone already: the commit will fail on the expectation, so the answer is never given.
  if (!before) return 1
  return before.generation + (canonicalJson(before.spec) === canonicalJson(put.spec) ? 0 : 1)
}
