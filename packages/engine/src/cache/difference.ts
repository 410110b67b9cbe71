import type { StoredObject } from '../words/object.ts'
import type { Snapshot } from '../words/store.ts'
import type { Contents } from './contents.ts'

/** What has to be put and removed for the contents to equal the snapshot. Applies nothing. */
export interface Difference {
  readonly puts: readonly StoredObject[]
  readonly removes: readonly StoredObject[]
}

export async function difference(contents: Contents, snapshot: Snapshot): Promise<Difference> {
  const puts: StoredObject[] = []
  const still = new Set<StoredObject>()
  for await (const chunk of snapshot.objects)
    for (const object of chunk) {
      const known = contents.find(object)
      if (known) still.add(known)
      if (known?.revision !== object.revision) puts.push(object)
    }
  const removes = still.size === contents.size ? [] : [...contents.all()].filter(object => !still.has(object))
  return { puts, removes }
}
