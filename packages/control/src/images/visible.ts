import type { View } from '@stead/engine'
import type { Caller } from '../identity/caller.ts'
import { Image, imagesByRegion } from './model.ts'

/** The images in a region that belong to projects of the caller, and can be booted. */
export function imagesSeenBy(everything: View, caller: Caller, regionId: string): readonly Image[] {
  const rights = new Map<string, boolean>()
  const maySee = ({ organizationId, projectId }: Image): boolean => {
    const known = rights.get(projectId!)
    if (known !== undefined) return known
    const place = { type: 'project', organizationId: organizationId!, projectId: projectId! } as const
    const may = caller.may('images:read', place)
    rights.set(projectId!, may)
    return may
  }
  return everything
    .list<Image>({ kind: Image.kind, index: { name: imagesByRegion.name, key: regionId } })
    .items.filter(image => image.status.state === 'ready' && image.deletedAt === undefined && maySee(image))
}
