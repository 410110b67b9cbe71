import type { BaseStatus, StoredObject } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import { Time } from '../../resource/model.ts'
import { nameless } from '../../resource/nameless.ts'
import { Type } from '../../schema/type.ts'

/** What whoever has the link may do, once: become a user with a role, or choose a new password. */
export interface InvitationSpec {
  /** In lower case. */
  readonly email: string
  readonly hash: string
  readonly expiresAt: Instant
  /** What the invited will hold, where the invitation is. Absent where a user is to choose a new password. */
  readonly role?: string
  /** Who is to choose a new password. */
  readonly user?: string
}

export const Invitation = nameless<InvitationSpec, BaseStatus>('invitation', 'inv', {
  spec: Type.Object({
    email: Type.String(),
    role: Type.Optional(Type.String()),
    user: Type.Optional(Type.String()),
    expiresAt: Time,
  }),
  status: Type.Object({}),
  show: ({ spec: { email, role, user, expiresAt }, status }) => ({
    spec: { email, role, user, expiresAt: isoTime(expiresAt) },
    status,
  }),
})
export type Invitation = StoredObject<InvitationSpec, BaseStatus>

/** An address of the usual form: whether anybody reads mail there, only the invited can show. */
export const Email = Type.String({ maxLength: 320, pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$' })
