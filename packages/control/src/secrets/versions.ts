import type { ChangeSetBuilder, Sealer } from '@stead/engine'
import type { Instant } from '@stead/world'
import { type SealedContent, sealInto } from '../sealed/model.ts'
import type { Secret, SecretVersion } from './model.ts'

/** Pins may keep more than `keepVersions` alive; a list of them stays short all the same. */
export const mostVersions = 200

export interface Writing {
  readonly sealer: Sealer
  readonly content: Uint8Array
  readonly at: Instant
  readonly by: string
  /** Versions that something uses: they stay, however old. */
  readonly used: ReadonlySet<number>
}

/** The versions of a secret with one more, sealed in the same change-set; the oldest that nobody needs go with it. */
export function withNewVersion(
  set: ChangeSetBuilder,
  secret: Pick<Secret, 'kind' | 'id' | 'spec'> & { readonly status: Pick<Secret['status'], 'versions'> },
  { sealer, content, at, by, used }: Writing,
): readonly SecretVersion[] {
  const { versions } = secret.status
  const version: SecretVersion = {
    version: (versions.at(-1)?.version ?? 0) + 1,
    content: sealInto(set, sealer, secret, content),
    createdAt: at,
    createdBy: by,
  }
  const all = [...versions, version]
  const first = all.length - (secret.spec.keepVersions ?? 10)
  const left = all.filter((each, index) => index >= first || used.has(each.version))
  dropContents(set, secret, { before: all, left })
  return left
}

/** Contents go when the last version of them has. */
export function dropContents(
  set: ChangeSetBuilder,
  owner: Pick<Secret, 'kind' | 'id'>,
  { before, left }: { readonly before: readonly SecretVersion[]; readonly left: readonly SecretVersion[] },
): void {
  const needed = hashesOf(left)
  for (const hash of hashesOf(before)) if (!needed.has(hash)) set.dropBlob(owner, hash)
}

const hashesOf = (versions: readonly { readonly content: SealedContent }[]): ReadonlySet<string> =>
  new Set(versions.map(({ content }) => content.sealed))
