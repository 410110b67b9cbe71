import type { StoredObject } from '@stead/engine'
import type { Static } from 'typebox'
import { type Resource, resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'
import type { SealedContent } from '../sealed/model.ts'
import { type EndingStatus, type Part, ShownEndingStatus, type Whole, whole } from '../teardown/model.ts'
import { longestPublicKey } from './public-key.ts'

/** Whose certificates machines let in. */
export const SshAuthoritySpec = Type.Object({
  publicKey: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: longestPublicKey },
      description: 'Of an authority somebody else keeps, as OpenSSH writes it: we hold nothing that could sign.',
    }),
  ),
  managed: Type.Optional(
    Type.Boolean({ description: 'True instead of a key: we make the pair, keep the private key sealed, and sign.' }),
  ),
})
export type SshAuthoritySpec = Static<typeof SshAuthoritySpec>

export interface SshAuthorityStatus extends EndingStatus {
  readonly publicKey: string
  readonly fingerprint: string
  /** Of a managed one: what signs. Never shown. */
  readonly privateKey?: SealedContent
}

export type SshAuthority = StoredObject<SshAuthoritySpec, SshAuthorityStatus>

export const SshAuthority: Resource<typeof SshAuthoritySpec, SshAuthorityStatus> = resource(
  'ssh-authority',
  'ssh',
  SshAuthoritySpec,
  Type.Object({
    publicKey: Type.String({ description: 'In its one form, to be trusted by machines.' }),
    fingerprint: Type.String({ description: '`SHA256:…`, as `ssh-keygen -l` prints it.' }),
    ...ShownEndingStatus.properties,
  }),
  { noun: 'ssh-authorities', immutable: ['/spec/publicKey', '/spec/managed'] },
)

/** One name, one authority, in a project. */
export const sshAuthorityName = (projectId: string, name: string): string => `ssh-authority-name/${projectId}/${name}`

/** An authority with what must be gone before it: whatever trusts it. */
export const sshAuthorityWhole = (parts: readonly Part[]): Whole =>
  whole<SshAuthority>(SshAuthority.kind, {
    parts,
    keys: ({ projectId, name }) => [sshAuthorityName(projectId!, name!)],
  })
