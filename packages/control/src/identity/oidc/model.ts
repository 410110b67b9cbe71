import type { Static } from 'typebox'
import { Type } from '../../schema/type.ts'

/** A claim that is worth a role: `{ claim: groups, value: platform-team, role: platform-admin }`. */
export const ClaimRule = Type.Object({
  claim: Type.String({ minLength: 1, description: 'Name of a claim: a text, or a list of texts.' }),
  value: Type.String({ minLength: 1, description: 'What it must be, or hold.' }),
  role: Type.String({
    minLength: 1,
    description: 'Name of a role; the organization’s own may be meant where there is one.',
  }),
  organization: Type.Optional(
    Type.String({ description: 'Id or name: the role is held there. The platform unless said.' }),
  ),
  project: Type.Optional(Type.String({ description: 'Id or name of a project of that organization.' })),
})
export type ClaimRule = Static<typeof ClaimRule>

/** Signatures that are accepted. No symmetric one: whoever knows a key of those can also sign. */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

/** An identity provider that this installation trusts, as its operator configures it. */
export const OidcProvider = Type.Object({
  name: Type.String({
    pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
    description: 'In URLs, and on the console’s button.',
  }),
  issuer: Type.String({ pattern: '^https?://', description: 'Exactly as its tokens say it.' }),
  audiences: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'For whom its bearer tokens must be.' }),
  ),
  clientId: Type.Optional(Type.String({ minLength: 1, description: 'Ours there; needed to sign in to the console.' })),
  clientSecret: Type.Optional(Type.String({ minLength: 1 })),
  scopes: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'Asked for at sign-in besides openid.' }),
  ),
  algorithms: Type.Optional(Type.Array(Type.Enum([...algorithms]), { minItems: 1 })),
  rules: Type.Array(ClaimRule),
})
export type OidcProvider = Static<typeof OidcProvider>

export type Claims = Readonly<Record<string, unknown>>
