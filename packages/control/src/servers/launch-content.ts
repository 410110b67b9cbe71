import { type ChangeSetBuilder, canonicalJson, type Ref, type Sealer, type Store } from '@stead/engine'
import type { LaunchSpec } from '@stead/provider-kit'
import { type SealedContent, sealInto, unseal } from '../sealed/model.ts'
import type { ServerSpec, ServerStatus } from './model.ts'

/** JSON has no bytes: they stand under this key. A key of somebody's own that looks like it gets one more `$`. */
const bytesKey = '$bytes'
const looksLikeIt = /^\$+bytes$/

/** Equal specs are the same bytes, so that their hashes tell whether something changed. */
export const encodeLaunch = (launch: LaunchSpec): Uint8Array =>
  Buffer.from(canonicalJson(isJson(launch) ? launch : written(launch)))

export function decodeLaunch(content: Uint8Array): LaunchSpec {
  const text = Buffer.from(content).toString()
  const launch = JSON.parse(text)
  return text.includes(bytesKey) ? (read(launch) as LaunchSpec) : launch
}

/** Whether it is written as it is, as most are: then no copy of it is made first. */
function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (value instanceof Uint8Array) return false
  if (Array.isArray(value)) return value.every(isJson)
  for (const key in value) if (looksLikeIt.test(key) || !isJson((value as Record<string, unknown>)[key])) return false
  return true
}

function written(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [bytesKey]: Buffer.from(value).toString('base64') }
  return mapped(value, written, key => (looksLikeIt.test(key) ? `$${key}` : key))
}

function read(value: unknown): unknown {
  if (isBytes(value)) return new Uint8Array(Buffer.from(value[bytesKey], 'base64'))
  return mapped(value, read, key => (looksLikeIt.test(key) ? key.slice(1) : key))
}

function mapped(value: unknown, each: (inner: unknown) => unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map(each)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [rename(key), each(field)]))
}

const isBytes = (value: unknown): value is { readonly [bytesKey]: string } =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, bytesKey)

/** A server that has no content yet, or has some that may be replaced. */
interface Holder extends Ref {
  readonly spec?: Pick<ServerSpec, 'launch'>
  readonly status?: Pick<ServerStatus, 'applied' | 'applying'>
}

/**
 * Seals what a server is to be launched as, in the change-set that writes the server, and answers what stands for it in
 * `spec.launch`: the same as before when nothing changed. What it replaces stays for as long as the backend is at it;
 * the server's controller drops it then.
 */
export function sealLaunch(set: ChangeSetBuilder, sealer: Sealer, server: Holder, launch: LaunchSpec): SealedContent {
  const content = encodeLaunch(launch)
  const before = server.spec?.launch
  const now = sealInto(set, sealer, server, content)
  if (before?.sealed === now.sealed) {
    set.blobs.pop()
    return before
  }
  if (before && !isNeeded(server, before.sealed)) set.dropBlob(server, before.sealed)
  return now
}

const isNeeded = ({ status }: Holder, sealed: string) =>
  sealed === status?.applied?.launch || sealed === status?.applying?.launch

/** What the server was sealed with under this name. */
export const unsealLaunch = async (
  opener: { readonly store: Pick<Store, 'blob'>; readonly sealer: Sealer },
  server: Ref,
  sealed: string,
): Promise<LaunchSpec> => decodeLaunch(await unseal(opener, server, { sealed }))
