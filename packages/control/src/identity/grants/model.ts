import type { BaseStatus, Index, StoredObject } from '@stead/engine'
import { nameless } from '../../resource/nameless.ts'
import { Type } from '../../schema/type.ts'
import type { Place } from '../caller.ts'

/** A role that somebody holds somewhere: where it is says the object's organization and project. */
export interface GrantSpec {
  /** The id of a user or a service account. */
  readonly principal: string
  /** The name of a built-in role, or the id of an organization's own. */
  readonly role: string
}

export const Grant = nameless<GrantSpec, BaseStatus>('grant', 'grt', {
  spec: Type.Object({
    principal: Type.String(),
    role: Type.String({ description: 'The name of a built-in role, or the id of one of the organization.' }),
  }),
  status: Type.Object({}),
})
export type Grant = StoredObject<GrantSpec, BaseStatus>

/** Who holds a role, and where: enough to answer what they may do. A grant is one; a claim of an OIDC token may be another. */
export interface Held {
  readonly role: string
  readonly place: Place
}

export const grantsByPrincipal: Index<Grant> = {
  name: 'principal',
  kind: Grant.kind,
  keys: ({ spec }) => [spec.principal],
}

export const grantsByRole: Index<Grant> = { name: 'role', kind: Grant.kind, keys: ({ spec }) => [spec.role] }

/** Where an object is. */
export function placeOf({ organizationId, projectId }: Pick<StoredObject, 'organizationId' | 'projectId'>): Place {
  if (organizationId === undefined) return { type: 'platform' }
  return projectId === undefined
    ? { type: 'organization', organizationId }
    : { type: 'project', organizationId, projectId }
}

/** One place as one text. */
export function placeKey(place: Place): string {
  if (place.type === 'platform') return 'platform'
  return place.type === 'organization' ? place.organizationId : `${place.organizationId}/${place.projectId}`
}

/** Held by the grant: nobody is given the same role in the same place twice. */
export const grantKey = ({ spec, ...where }: Pick<Grant, 'spec' | 'organizationId' | 'projectId'>): string =>
  `grant/${placeKey(placeOf(where))}/${spec.principal}/${spec.role}`
