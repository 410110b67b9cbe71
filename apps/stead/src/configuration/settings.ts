import { isIP } from 'node:net'
import { parseDuration } from '@stead/world'
import { otlpEndpoint, otlpHeaders, otlpResource, otlpSampling, parsePairs } from './opentelemetry.ts'

/** One thing that can be set. Its flag, its variable and its key in the file follow from its name. */
export interface Setting {
  readonly help: string
  /** What stands for the value in the help; absent for a switch that is on when named. */
  readonly placeholder?: string
  readonly default?: string
  /** Its value is never shown: it may hold a password. */
  readonly secret?: true
  /** A relative path, meant from where it was written: the working directory, or the file's own. */
  readonly path?: true
  /** The page of docs/ that says more. */
  readonly see?: string
  /** What a variable that is not ours says of it, where ours says nothing. */
  readonly standard?: (env: NodeJS.ProcessEnv) => { readonly text: string; readonly origin: string } | undefined
  /** What is wrong with a value, if anything, to follow "must be". */
  readonly mustBe: (text: string) => string | undefined
}

const anything = () => undefined
const oneOf = (values: readonly string[]) => (text: string) =>
  values.includes(text) ? undefined : `one of ${values.join(', ')}`

const isRange = (text: string) => {
  const [address = '', bits = ''] = text.split('/')
  const family = isIP(address)
  return family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

const isPublicUrl = (text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '')
}

const isSealKey = (text: string) => /^[A-Za-z0-9+/]{43}=$/.test(text)

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Everything that can be set, in the order the help shows it. */
export const settings = {
  config: { help: 'a YAML file with any of these settings', placeholder: 'file', path: true, mustBe: anything },
  listen: {
    help: 'address and port of the API; port 0 takes any free one',
    placeholder: 'host:port',
    default: '127.0.0.1:7400',
    mustBe: text => (parseListen(text) ? undefined : 'host:port, such as 127.0.0.1:7400 or [::1]:7400'),
  },
  data: {
    help: 'directory for everything Stead keeps',
    placeholder: 'directory',
    default: './.stead',
    path: true,
    mustBe: anything,
  },
  database: {
    help: 'keep objects in this PostgreSQL database and not in the data directory',
    placeholder: 'url',
    secret: true,
    see: 'postgresql.md',
    mustBe: text =>
      ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? '')
        ? undefined
        : 'a URL that starts with postgres://',
  },
  databaseSchema: {
    help: 'schema of the PostgreSQL database; made if it does not exist',
    placeholder: 'name',
    default: 'stead',
    mustBe: text =>
      /^[a-z_][a-z0-9_]{0,47}$/.test(text) ? undefined : 'a lower-case name of at most 48 letters, digits and _',
  },
  databasePool: {
    help: 'sessions with the PostgreSQL database for reads and small writes; three more are kept for the rest',
    placeholder: 'count',
    default: '8',
    mustBe: text => (/^[1-9]\d{0,2}$/.test(text) ? undefined : 'a number from 1 to 999'),
  },
  tlsCert: { help: 'certificate (PEM) to serve HTTPS with', placeholder: 'file', path: true, mustBe: anything },
  tlsKey: { help: 'private key (PEM) of that certificate', placeholder: 'file', path: true, mustBe: anything },
  behindProxy: {
    help: 'a proxy in front does TLS: listen beyond loopback without it',
    default: 'false',
    mustBe: oneOf(['true', 'false']),
  },
  publicUrl: {
    help: 'where browsers find this installation; needed to sign in with an identity provider',
    placeholder: 'url',
    mustBe: text => (isPublicUrl(text) ? undefined : 'a URL without a path, such as https://stead.example.com'),
  },
  oidc: {
    help: 'a YAML file with the identity providers to trust',
    see: 'identity.md#identity-providers-oidc',
    placeholder: 'file',
    path: true,
    mustBe: anything,
  },
  outgoingAllow: {
    help: 'private ranges that URLs may lead to, separated by commas',
    placeholder: 'cidr,…',
    mustBe: text => (text.split(',').every(isRange) ? undefined : 'ranges such as 10.1.0.0/16'),
  },
  staging: {
    help: 'directory for images on their way to a region; one for all nodes that share a database. In the data directory unless given',
    placeholder: 'directory',
    path: true,
    see: 'images.md',
    mustBe: anything,
  },
  imageLimit: {
    help: 'how large an image may be that a project brings',
    placeholder: 'size',
    default: '20GiB',
    see: 'images.md',
    mustBe: text => (parseSize(text) === undefined ? 'a size, such as 500MiB or 20GiB' : undefined),
  },
  sealKey: {
    help: 'key that seals secrets, base64 of 32 bytes; best in the environment. Made in the data directory unless given',
    placeholder: 'key',
    secret: true,
    see: 'operating.md#secrets',
    mustBe: text => (isSealKey(text) ? undefined : 'base64 of 32 bytes'),
  },
  olderSealKeys: {
    help: 'keys that sealed before, separated by commas: they open, and no longer seal',
    placeholder: 'keys',
    secret: true,
    see: 'operating.md#secrets',
    mustBe: text => (text.split(',').every(isSealKey) ? undefined : 'base64 of 32 bytes each'),
  },
  auditRetention: {
    help: 'how long the audit log is kept',
    placeholder: 'duration',
    default: '400d',
    see: 'audit.md',
    mustBe: text => ((parseDuration(text) ?? 0) > 0 ? undefined : 'a duration, such as 400d'),
  },
  metricsInterval: {
    help: 'how often what instances use is measured; once a minute at most in regions with more than 1,000 of them',
    placeholder: 'duration',
    default: '15s',
    see: 'metrics.md#what-instances-use',
    mustBe: text => ((parseDuration(text) ?? 0) >= 5_000 ? undefined : 'a duration of at least 5s, such as 15s'),
  },
  tracesEndpoint: {
    help: 'send traces to this OpenTelemetry collector, by OTLP over HTTP; none are recorded unless given',
    placeholder: 'url',
    see: 'traces.md',
    standard: otlpEndpoint,
    mustBe: text =>
      /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? undefined : 'a URL, such as http://127.0.0.1:4318/v1/traces',
  },
  tracesHeaders: {
    help: 'headers to send traces with, separated by commas; best in the environment',
    placeholder: 'name=value,…',
    secret: true,
    see: 'traces.md',
    standard: otlpHeaders,
    mustBe: text => (parsePairs(text) ? undefined : 'name=value pairs'),
  },
  tracesSampling: {
    help: 'how many of the traces that begin here are recorded, from 0 to 1',
    placeholder: 'ratio',
    default: '1',
    see: 'traces.md',
    standard: otlpSampling,
    mustBe: text => (/^(0|1|0?\.\d+|1\.0+)$/.test(text) ? undefined : 'a number from 0 to 1'),
  },
  tracesResource: {
    help: 'what traces say of who sends them, such as deployment.environment.name=production',
    placeholder: 'name=value,…',
    see: 'traces.md',
    standard: otlpResource,
    mustBe: text => (parsePairs(text) ? undefined : 'name=value pairs'),
  },
  findRegions: {
    help: 'look at each start what this machine has, and register regions for it: true or false',
    placeholder: 'answer',
    default: 'true',
    see: 'regions.md',
    mustBe: oneOf(['true', 'false']),
  },
  simulatedRegion: {
    help: 'have a region `simulated` to try things out in: it lives in memory and ends with the process',
    default: 'false',
    see: 'regions.md',
    mustBe: oneOf(['true', 'false']),
  },
  logLevel: {
    help: `least important log lines to write: ${logLevels.join(', ')}`,
    placeholder: 'level',
    default: 'info',
    mustBe: oneOf(logLevels),
  },
} as const satisfies Record<string, Setting>

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Reads `20GiB`: in bytes. */
export function parseSize(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,5})(B|KiB|MiB|GiB|TiB)$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * 1_024 ** units.indexOf(unit)
}

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings) as readonly SettingName[]

const kebab = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
export const flagOf = (name: SettingName): string => `--${kebab(name)}`
export const variableOf = (name: SettingName): string => `STEAD_${kebab(name).replaceAll('-', '_').toUpperCase()}`

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Reads `host:port` and `[ipv6]:port`. */
export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(text)
  if (!match) return undefined
  const [, ipv6, name, digits] = match
  const port = Number(digits)
  if (port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6)) return undefined
  return { host: (ipv6 ?? name)!, port }
}

/** Whether only this machine can reach a listener there. A name counts only if it is `localhost`: others may resolve to anything. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
