import type { Kind, StoredObject, View } from '@stead/engine'
import { idPrefix } from '@stead/world'
import { fail } from '../errors/index.ts'

/** The one object that an id or a name means among these; what the caller cannot read is not among them. */
export function find<Object extends StoredObject>(objects: View, kind: Kind<Object>, text: string): Object {
  return theOne(kind, text, lookUp(objects, kind, text))
}

/** Names have no underscore and ids do, so that no name can be taken for an id. */
export function lookUp<Object extends StoredObject>(
  objects: View,
  kind: Kind<Object>,
  text: string,
): readonly Object[] {
  if (idPrefix(text) === undefined) return objects.list<Object>({ kind, name: text.toLowerCase() }).items
  const found = objects.get<Object>(kind, text)
  return found ? [found] : []
}

/** Refuses none, and more than one. */
export function theOne<Object extends StoredObject>(kind: string, text: string, found: readonly Object[]): Object {
  const [first] = found
  if (!first) throw fail('not_found', `there is no ${kind} ${JSON.stringify(text)} here`)
  if (found.length === 1) return first
  throw fail('ambiguous_name', `${found.length} ${kind}s here are named ${JSON.stringify(text)}`, {
    extensions: { candidates: found.slice(0, 20).map(({ id }) => id) },
  })
}
