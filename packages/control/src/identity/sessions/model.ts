import { createHmac } from 'node:crypto'
import type { BaseStatus, StoredObject } from '@stead/engine'
import { type Duration, hours, type Instant, isoTime } from '@stead/world'
import { Time } from '../../resource/model.ts'
import { nameless } from '../../resource/nameless.ts'
import { Type } from '../../schema/type.ts'

/** Somebody at the console. */
export interface SessionSpec {
  /** The id of a user. */
  readonly principal: string
  readonly hash: string
  readonly expiresAt: Instant
  /** Where it was opened from. */
  readonly address: string
  /** Claims of the identity provider at login, from which rights are worked out with each request. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** A working day: who works longer signs in again. */
export const sessionLifetime: Duration = hours(12)

export const Session = nameless<SessionSpec, BaseStatus>('session', 'ses', {
  spec: Type.Object({ principal: Type.String(), expiresAt: Time, address: Type.String() }),
  status: Type.Object({}),
  show: ({ spec: { principal, expiresAt, address }, status }) => ({
    spec: { principal, expiresAt: isoTime(expiresAt), address },
    status,
  }),
})
export type Session = StoredObject<SessionSpec, BaseStatus>

/** What a page of ours must say with each change: it follows from the cookie, which no other page can read. */
export const csrfTokenOf = (secret: Uint8Array): string =>
  createHmac('sha256', secret).update('csrf').digest('base64url')
