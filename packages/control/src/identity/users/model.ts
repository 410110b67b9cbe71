import type { BaseStatus, Index, StoredObject } from '@stead/engine'
import { nameless } from '../../resource/nameless.ts'
import { Type } from '../../schema/type.ts'

/** Who somebody is to an OIDC issuer. */
export interface OidcSubject {
  readonly issuer: string
  readonly subject: string
}

export interface UserSpec {
  /** In lower case. */
  readonly email?: string
  readonly disabled?: boolean
  readonly oidc?: OidcSubject
}

/** A person. People belong to the platform; what they hold in an organization says whether they are seen there. */
export const User = nameless<UserSpec, BaseStatus>('user', 'usr', {
  spec: Type.Object({
    email: Type.Optional(Type.String()),
    disabled: Type.Optional(Type.Boolean()),
    oidc: Type.Optional(Type.Object({ issuer: Type.String(), subject: Type.String() })),
  }),
  status: Type.Object({}),
})
export type User = StoredObject<UserSpec, BaseStatus>

export const oidcText = ({ issuer, subject }: OidcSubject) => JSON.stringify([issuer, subject])

export const userEmail = (email: string): string => `user-email/${email}`
export const userSubject = (subject: OidcSubject): string => `user-oidc/${oidcText(subject)}`

export const usersByEmail: Index<User> = {
  name: 'email',
  kind: User.kind,
  keys: ({ spec: { email } }) => (email === undefined ? [] : [email]),
}
export const usersBySubject: Index<User> = {
  name: 'oidc',
  kind: User.kind,
  keys: ({ spec: { oidc } }) => (oidc ? [oidcText(oidc)] : []),
}
