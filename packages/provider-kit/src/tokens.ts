import { hash } from 'node:crypto'
import type { LaunchSpec } from './launch-spec.ts'

declare const tokenBrand: unique symbol

/** What makes a create happen once: the same token never makes a second object. */
export type CreateToken = string & { readonly [tokenBrand]: true }

export const createToken = (text: string): CreateToken => text as CreateToken

/** Server id and attempt. At most 64 characters of plain ASCII: what EC2 takes as a client token. */
export const launchToken = (serverId: string, attempt: number): CreateToken => createToken(`${serverId}.${attempt}`)

/**
 * A short text that is equal for equal configurations, to tell "the same again" from "something else with the same token".
 * It is written on backend objects, where many can read it, so secret values are left out: a hash of a weak one can be guessed.
 */
export function launchFingerprint(spec: LaunchSpec): string {
  if (spec.source.type === 'machine') {
    const { userData, ...source } = spec.source
    return fingerprint({ ...spec, source: { ...source, userData: userData?.length } })
  }
  if (spec.source.type !== 'services') return fingerprint(spec)
  const services = Object.entries(spec.source.services).map(([name, service]) => [
    name,
    {
      ...service,
      secretEnv: Object.keys(service.secretEnv),
      files: service.files.map(file => (file.secret ? { ...file, content: undefined } : file)),
      pullSecret: service.pullSecret && { ...service.pullSecret, password: undefined },
    },
  ])
  return fingerprint({ ...spec, source: { ...spec.source, services: Object.fromEntries(services) } })
}

/** As `launchFingerprint`, of any plain value. Functions and undefined fields do not count. */
export const fingerprint = (value: unknown): string => hash('sha256', written(value), 'base64url').slice(0, 32)

/** Counts and lengths go before contents, so that no two different values are written alike. */
function written(value: unknown): string {
  if (value instanceof Uint8Array) return `b${value.length}:${Buffer.from(value).toString('latin1')}`
  if (Array.isArray(value)) return `a${value.length}:${value.map(written).join('')}`
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined && typeof field !== 'function')
    fields.sort(([a], [b]) => (a < b ? -1 : 1))
    return `o${fields.length}:${fields.map(([key, field]) => written(key) + written(field)).join('')}`
  }
  const text = JSON.stringify(value) ?? 'null'
  return `${text.length}:${text}`
}
