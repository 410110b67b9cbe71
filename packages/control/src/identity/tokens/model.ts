import type { BaseStatus, StoredObject } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import { Time } from '../../resource/model.ts'
import { nameless } from '../../resource/nameless.ts'
import { Type } from '../../schema/type.ts'
import type { Place } from '../caller.ts'
import { type Permission, permissions } from '../permissions.ts'

/** Narrows what a token may do below what its owner may. */
export interface TokenScope {
  readonly permissions?: readonly Permission[]
  /** Only in this project. */
  readonly projectId?: string
}

export interface TokenSpec {
  /** Whose it is: the id of a user or a service account. */
  readonly principal: string
  readonly hash: string
  /** The first admin token has none: it is what is left when everything else has expired. */
  readonly expiresAt?: Instant
  readonly scope?: TokenScope
}

export const ScopePermissions = Type.Array(Type.Enum([...permissions]), { minItems: 1, uniqueItems: true })

export const Token = nameless<TokenSpec, BaseStatus>('token', 'tok', {
  spec: Type.Object({
    principal: Type.String(),
    expiresAt: Type.Union([Time, Type.Null()]),
    scope: Type.Optional(
      Type.Object({ permissions: Type.Optional(ScopePermissions), projectId: Type.Optional(Type.String()) }),
    ),
  }),
  status: Type.Object({ lastUsedAt: Type.Optional(Type.Union([Time, Type.Null()])) }),
  show: ({ spec: { principal, expiresAt, scope } }) => ({
    spec: { principal, expiresAt: expiresAt === undefined ? null : isoTime(expiresAt), scope },
    status: {},
  }),
})
export type Token = StoredObject<TokenSpec, BaseStatus>

/** Whether a token of this scope may do something, if its owner may. */
export function inScope(scope: TokenScope | undefined, permission: Permission, place: Place): boolean {
  if (!scope) return true
  if (scope.permissions && !scope.permissions.includes(permission)) return false
  return scope.projectId === undefined || (place.type === 'project' && place.projectId === scope.projectId)
}
