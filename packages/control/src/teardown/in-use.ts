import type { StoredObject, View } from '@stead/engine'
import { fail, type Problem } from '../errors/index.ts'
import type { Caller } from '../identity/caller.ts'
import { placeOf } from '../identity/grants/model.ts'
import type { Permission } from '../identity/permissions.ts'
import type { Whole } from './model.ts'

/** How many are named in an answer; how many there are is told too. */
const mostNamed = 20

/** Why something cannot be deleted without `cascade`, if so. Names only what the caller may read. */
export function inUse(
  { kind, parts }: Whole,
  { object, everything, caller }: { object: StoredObject; everything: View; caller: Caller },
): Problem | undefined {
  const blocking = parts.filter(part => part.blocks).map(part => ({ part, objects: part.find(everything, object) }))
  const found = blocking.filter(({ objects }) => objects.length > 0)
  if (found.length === 0) return undefined
  const readable = found.flatMap(({ part: { noun }, objects }) =>
    objects.filter(each => caller.may(`${noun}:read` as Permission, placeOf(each))),
  )
  const counts = found.map(({ part, objects }) => `${objects.length} ${objects.length === 1 ? part.kind : part.noun}`)
  return fail('in_use', `this ${kind} still has ${counts.join(', ')}`, {
    extensions: {
      blockedBy: readable.slice(0, mostNamed).map(({ kind, id, name }) => ({ kind, id, name })),
      total: found.reduce((sum, { objects }) => sum + objects.length, 0),
    },
  })
}
