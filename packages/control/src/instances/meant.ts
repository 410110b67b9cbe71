import type { Kind, StoredObject, View } from '@stead/engine'
import { lookUp, theOne } from '../door/find.ts'
import type { Caller, Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'

/** Who refers to something, and where it is looked for. */
export interface Seeking {
  /** What is in the project, and nothing else: what is of another does not exist. */
  readonly objects: View
  readonly caller: Caller
  readonly place: Place & { readonly type: 'project' }
}

interface Noun<Object extends StoredObject> {
  readonly kind: Kind<Object>
  readonly noun: string
}

/** The one that an id or a name means to the caller in the project. What they may not read does not exist. */
export function meant<Object extends StoredObject>(
  { kind, noun }: Noun<Object>,
  text: string,
  seeking: Seeking,
): Object {
  const { objects, caller, place } = seeking
  const found = caller.may(`${noun}:read` as Permission, place) ? lookUp(objects, kind, text) : []
  return theOne(kind, text, found)
}
