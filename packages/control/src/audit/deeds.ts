import type { ChangeSetBuilder, StoredObject, View } from '@stead/engine'
import { type AuditedKind, Changes, mostObjects } from './changes.ts'
import { auditRecords } from './model.ts'

/** Something that a controller does. */
export interface Deed {
  /** Its name: `project-teardown`. */
  readonly controller: string
  /** `noun:verb` */
  readonly action: string
  /** What it is about. */
  readonly object: StoredObject
  /** The id of who asked for it, if anybody did. */
  readonly onBehalfOf: string | undefined
}

/** Puts into a change-set of a controller what the audit log says of it. */
export type Tell = (set: ChangeSetBuilder, deed: Deed, everything: View) => void

/** What controllers do is told like what requests do: in the same change-set, with what it changes. */
export function teller(kinds: readonly AuditedKind[]): Tell {
  const changes = new Changes(kinds)
  return (set, { controller, action, object, onBehalfOf }, everything) => {
    const { organizationId, projectId } = placeOf(object)
    const { kind, id, name } = object
    const changed = changes.of(set, everything)
    // In as many entries as it takes: what a controller does has no request that tells of the rest.
    for (let first = 0; first < changed.length; first += mostObjects)
      for (const record of auditRecords({
        actor: { id: controller, type: 'controller', name: controller },
        ...(onBehalfOf !== undefined && { onBehalfOf }),
        action,
        request: controller,
        ...(organizationId !== undefined && { organizationId }),
        ...(projectId !== undefined && { projectId }),
        object: { kind, id, ...(name !== undefined && { name }) },
        changed: changed.slice(first, first + mostObjects),
        result: 'done',
        from: { address: 'local' },
        count: 1,
      }))
        set.record(record)
  }
}

/** Organizations and projects are in themselves. */
const placeOf = ({ kind, id, organizationId, projectId }: StoredObject) => ({
  organizationId: kind === 'organization' ? id : organizationId,
  projectId: kind === 'project' ? id : projectId,
})
