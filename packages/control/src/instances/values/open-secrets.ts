import type { Sealer, Store, View } from '@stead/engine'
import { unseal } from '../../sealed/model.ts'
import { newestOf, Secret, type SecretVersion } from '../../secrets/model.ts'
import type { InstanceSpec } from '../model.ts'
import { followedSecrets, usedSecrets } from './used-secrets.ts'

/** By the id of a secret, the version of it that something was launched with. Those that are pinned are not among them. */
export type SecretVersions = Readonly<Record<string, number>>

export interface OpenSecret {
  readonly content: Uint8Array
  /** Of one of type registry. */
  readonly registry?: Secret['spec']['registry']
}

/** Opens a secret that an instance uses. */
export type ReadSecret = (use: { readonly id: string; readonly version?: number }) => OpenSecret

export type OpenedSecrets =
  | { readonly type: 'known'; readonly read: ReadSecret; readonly versions: SecretVersions | undefined }
  | { readonly type: 'waiting'; readonly message: string }

interface Opening {
  readonly spec: Pick<InstanceSpec, 'source' | 'variableValues'>
  readonly everything: View
  /** What it runs with now: kept, unless the newest is to be followed. */
  readonly held?: SecretVersions | undefined
}

interface Chosen {
  readonly secret: Secret
  readonly version: SecretVersion
  readonly isPinned: boolean
}

/** Which version of each secret an instance is to have, by how it uses them. */
export function chooseVersions({ spec, everything, held }: Opening): readonly Chosen[] | { readonly missing: string } {
  const uses = usedSecrets(spec)
  if (uses.length === 0) return []
  const followed = followedSecrets(spec)
  const chosen: Chosen[] = []
  for (const { id, version } of uses) {
    const secret = everything.get(Secret.kind, id)
    if (!secret) return { missing: `its secret ${id} is gone` }
    const find = (wanted: number | undefined) => secret.status.versions.find(each => each.version === wanted)
    const found =
      version === undefined ? ((followed.has(id) ? undefined : find(held?.[id])) ?? newestOf(secret)) : find(version)
    if (!found) return { missing: `version ${version} of its secret ${secret.name} is gone` }
    chosen.push({ secret, version: found, isPinned: version !== undefined })
  }
  return chosen
}

/** Opens every secret that an instance uses. */
export async function openSecrets(
  opener: { readonly store: Pick<Store, 'blob'>; readonly sealer: Sealer },
  opening: Opening,
): Promise<OpenedSecrets> {
  const chosen = chooseVersions(opening)
  if ('missing' in chosen) return { type: 'waiting', message: chosen.missing }
  const opened = new Map<string, OpenSecret>()
  for (const { secret, version, isPinned } of chosen) {
    const key = keyOf({ id: secret.id, ...(isPinned && { version: version.version }) })
    const { registry } = secret.spec
    if (!opened.has(key))
      opened.set(key, { content: await unseal(opener, secret, version.content), ...(registry && { registry }) })
  }
  return { type: 'known', read: use => opened.get(keyOf(use))!, versions: versionsOf(chosen) }
}

const keyOf = ({ id, version }: { readonly id: string; readonly version?: number }): string => `${id}@${version ?? ''}`

function versionsOf(chosen: readonly Chosen[]): SecretVersions | undefined {
  const unpinned = chosen.filter(({ isPinned }) => !isPinned)
  return unpinned.length === 0
    ? undefined
    : Object.fromEntries(unpinned.map(({ secret, version }) => [secret.id, version.version]))
}

/** Of what something was launched with, what is older than the newest: that which it is to be given, and that which it is not. */
export function outdatedSecrets({ spec, everything, held = {} }: Opening) {
  const followed = followedSecrets(spec)
  const older = Object.entries(held).flatMap(([id, version]) => {
    const secret = everything.get(Secret.kind, id)
    return secret && newestOf(secret).version > version ? [secret] : []
  })
  const names = (found: readonly Secret[]) => found.map(({ name }) => name!).sort()
  return {
    rotated: names(older.filter(({ id }) => followed.has(id))),
    stale: names(older.filter(({ id }) => !followed.has(id))),
  }
}
