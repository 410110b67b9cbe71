import type { StoredObject, View } from '@stead/engine'
import { fail, type Problem } from '../errors/index.ts'
import type { Caller } from '../identity/caller.ts'
import { placeOf } from '../identity/grants/model.ts'
import type { Permission } from '../identity/permissions.ts'
import { isProtected, type Whole } from './model.ts'

/** How many are named in an answer; how many there are is told too. */
const mostNamed = 20

/** Why something cannot be deleted without `cascade`, if so. */
export function inUse(
  { kind, parts }: Whole,
  { object, everything, caller }: { object: StoredObject; everything: View; caller: Caller },
): Problem | undefined {
  const blocking = parts.filter(part => part.blocks).map(part => ({ part, objects: part.find(everything, object) }))
  const found = blocking.filter(({ objects }) => objects.length > 0)
  if (found.length === 0) return undefined
  const counts = found.map(({ part, objects }) => `${objects.length} ${objects.length === 1 ? part.kind : part.noun}`)
  const blockers = found.flatMap(({ part: { noun }, objects }) => objects.map(each => ({ noun, object: each })))
  return fail('in_use', `this ${kind} still has ${counts.join(', ')}`, { extensions: named(blockers, caller) })
}

/** Why something cannot be deleted even with `cascade`: what its owner protects is ended by nobody in passing. */
export function protectedInside(
  whole: Whole,
  { object, everything, caller }: { object: StoredObject; everything: View; caller: Caller },
): Problem | undefined {
  const inside = whole.inside?.(everything, object)
  const objects = inside
    ? inside.kinds().flatMap(kind => inside.list({ kind }).items)
    : whole.parts.flatMap(part => part.find(everything, object))
  const found = objects.filter(isProtected)
  if (found.length === 0) return undefined
  const blockers = found.map(each => ({ noun: `${each.kind}s`, object: each }))
  return fail('in_use', `${found.length} of what would end with this ${whole.kind} is protected from deletion`, {
    suggestion: 'set deletionProtection to false there first',
    extensions: named(blockers, caller),
  })
}

/** Names only what the caller may read. */
function named(blockers: readonly { readonly noun: string; readonly object: StoredObject }[], caller: Caller) {
  const readable = blockers.filter(({ noun, object }) => caller.may(`${noun}:read` as Permission, placeOf(object)))
  return {
    blockedBy: readable.slice(0, mostNamed).map(({ object: { kind, id, name } }) => ({ kind, id, name })),
    total: blockers.length,
  }
}
