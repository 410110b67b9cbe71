import type { ChangeSetBuilder, ObjectDraft, StoredObject, View } from '@stead/engine'
import { charge } from '../quotas/charge.ts'
import { buildingOn } from '../teardown/building.ts'
import { type ImageSpec, type ImageStatus, imageName } from './model.ts'

/** What goes with a new image, in the change-set that makes it: its name and its charge. */
export function imageBesides(
  set: ChangeSetBuilder,
  everything: View,
  { draft, on }: { readonly draft: ObjectDraft<ImageSpec, ImageStatus>; readonly on: readonly StoredObject[] },
): void {
  const { id, organizationId, projectId, name, createdAt } = draft
  buildingOn(set, ...on).take(imageName(projectId!, name!), id)
  charge(set, everything, {
    ...{ organization: organizationId!, project: projectId!, for: draft },
    ...{ amounts: { images: 1 }, at: createdAt },
  })
}
