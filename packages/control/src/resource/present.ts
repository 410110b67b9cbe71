import type { BaseStatus, StoredObject } from '@stead/engine'
import { isoTime } from '@stead/world'

/** How a caller sees an object. */
export interface Presented {
  readonly metadata: object
  readonly spec: unknown
  readonly status: unknown
}

/**
 * `{metadata, spec, status}`: times as ISO text, and only what every resource shows. The reply's schema cuts the rest.
 */
export function present(object: StoredObject<unknown, BaseStatus>): Presented {
  const { conditions } = object.status ?? {}
  return {
    metadata: {
      id: object.id,
      name: object.name,
      displayName: object.displayName,
      organizationId: object.organizationId,
      projectId: object.projectId,
      labels: object.labels,
      generation: object.generation,
      revision: object.revision,
      createdAt: isoTime(object.createdAt),
      createdBy: object.createdBy,
      deletedAt: object.deletedAt === undefined ? null : isoTime(object.deletedAt),
    },
    spec: object.spec,
    status: conditions
      ? { ...object.status, conditions: conditions.map(item => ({ ...item, since: isoTime(item.since) })) }
      : object.status,
  }
}
