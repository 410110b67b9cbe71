import type { ChangeSetBuilder, StoredObject, View } from '@stead/engine'
import { fail } from '../errors/index.ts'
import type { Place } from '../identity/caller.ts'

/**
 * What a change-set builds on must still be there, and not on its way out, when it commits. Without this something could
 * be made in a project that has just been found empty, and be left behind by its end.
 */
export function buildingOn(set: ChangeSetBuilder, ...objects: readonly StoredObject[]): ChangeSetBuilder {
  for (const object of objects) {
    if (object.deletedAt !== undefined)
      throw fail('invalid_state', `the ${object.kind} ${object.name ?? object.id} is being deleted`)
    set.expectRevision(object, object.revision)
  }
  return set
}

/** The organization or project that something is made in; none on the platform. */
export function placeObjects(everything: View, place: Place): readonly StoredObject[] {
  if (place.type === 'platform') return []
  const found =
    place.type === 'project'
      ? everything.get('project', place.projectId)
      : everything.get('organization', place.organizationId)
  if (!found) throw fail('not_found', `the ${place.type} is gone`)
  return [found]
}
