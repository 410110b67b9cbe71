import { join, resolve } from 'node:path'
import { type Duration, parseDuration } from '@stead/world'
import { StartError } from '../exit-codes.ts'
import { parsePairs } from './opentelemetry.ts'
import {
  flagOf,
  isLoopback,
  type ListenAddress,
  logLevels,
  parseListen,
  parseSize,
  type Setting,
  type SettingName,
  settingNames,
  settings,
  variableOf,
} from './settings.ts'
import { type Flags, fromEnvironment, fromFlags, type Given, type GivenSettings } from './sources.ts'

/** What the program runs with: every value checked, every path absolute. */
export interface Configuration {
  readonly listen: ListenAddress
  /** Where `listen` was set, for messages about an address that cannot be had. */
  readonly listenOrigin: string
  readonly data: string
  readonly database?: { readonly url: string; readonly schema: string; readonly poolSize: number }
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  readonly behindProxy: boolean
  readonly publicUrl?: string
  /** The file that says which identity providers to trust. */
  readonly oidc?: string
  readonly outgoingAllow: readonly string[]
  /** Where images are on their way to a region. */
  readonly staging: string
  /** In bytes. */
  readonly imageLimit: number
  readonly sealKeys: { readonly key?: string; readonly olderKeys: readonly string[] }
  readonly auditRetention: Duration
  readonly metricsInterval: Duration
  /** Where traces go, if anywhere. */
  readonly traces?: {
    readonly endpoint: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
    readonly resource: Readonly<Record<string, string>>
    readonly sampling: number
  }
  readonly findRegions: boolean
  readonly simulatedRegion: boolean
  readonly logLevel: (typeof logLevels)[number]
}

export interface Surroundings {
  readonly flags: Flags
  readonly env: NodeJS.ProcessEnv
  readonly directory: string
}

/** A flag wins over a variable, that over the file, that over the default. Throws a StartError that names the setting and its origin. */
export async function loadConfiguration({ flags, env, directory }: Surroundings): Promise<Configuration> {
  const said = { ...fromEnvironment(env, directory), ...fromFlags(flags, directory) }
  // Loaded only when there is a file: reading YAML costs 40 ms of every start otherwise.
  const inFile = said.config ? (await import('./file.ts')).fromFile(said.config) : {}
  const given = { ...defaults(directory), ...inFile, ...said }
  for (const name of settingNames) check(name, given[name])

  const value = (name: SettingName): string | undefined => {
    const found = given[name]
    return found && (isPath(name) ? resolve(found.directory, found.text) : found.text)
  }
  const url = value('database')
  const [publicUrl, oidc] = [value('publicUrl'), value('oidc')]
  const sealKey = value('sealKey')
  const tls = tlsFiles(given, value)
  const traces = tracesOf(value)
  const configuration: Configuration = {
    listen: parseListen(value('listen')!)!,
    listenOrigin: given.listen!.origin,
    data: value('data')!,
    ...(url && {
      database: { url, schema: value('databaseSchema')!, poolSize: Number(value('databasePool')) },
    }),
    ...(tls && { tls }),
    behindProxy: value('behindProxy') === 'true',
    ...(publicUrl && { publicUrl }),
    ...(oidc && { oidc }),
    staging: value('staging') ?? join(value('data')!, 'staging'),
    imageLimit: parseSize(value('imageLimit')!)!,
    outgoingAllow: value('outgoingAllow')?.split(',') ?? [],
    sealKeys: { ...(sealKey && { key: sealKey }), olderKeys: value('olderSealKeys')?.split(',') ?? [] },
    metricsInterval: parseDuration(value('metricsInterval')!)!,
    ...(traces && { traces }),
    findRegions: value('findRegions') === 'true',
    simulatedRegion: value('simulatedRegion') === 'true',
    auditRetention: parseDuration(value('auditRetention')!)!,
    logLevel: logLevels.find(level => level === value('logLevel'))!,
  }
  refuseOpenDoor(configuration)
  return configuration
}

const settingOf = (name: SettingName): Setting => settings[name]
const isPath = (name: SettingName) => settingOf(name).path === true

function defaults(directory: string): GivenSettings {
  const entries = settingNames.flatMap(name => {
    const text = settingOf(name).default
    return text === undefined ? [] : [[name, { text, origin: 'the default', directory }]]
  })
  return Object.fromEntries(entries)
}

function check(name: SettingName, given: Given | undefined): void {
  if (!given) return
  const { mustBe, secret } = settingOf(name)
  const expected = given.text === '' ? 'something' : mustBe(given.text)
  if (expected === undefined) return
  const shown = secret ? '' : `, not "${given.text}"`
  throw new StartError('usage', `${name} (set in ${given.origin}) must be ${expected}${shown}`)
}

function tracesOf(value: (name: SettingName) => string | undefined): Configuration['traces'] {
  const url = value('tracesEndpoint')
  if (url === undefined) return undefined
  const pairs = (name: SettingName) => parsePairs(value(name) ?? '') ?? {}
  return {
    endpoint: { url, headers: pairs('tracesHeaders') },
    resource: pairs('tracesResource'),
    sampling: Number(value('tracesSampling')),
  }
}

function tlsFiles(given: GivenSettings, value: (name: SettingName) => string | undefined): Configuration['tls'] {
  const [certFile, keyFile] = [value('tlsCert'), value('tlsKey')]
  if (certFile && keyFile) return { certFile, keyFile }
  const half = given.tlsCert ?? given.tlsKey
  if (!half) return undefined
  const other = given.tlsCert ? 'tlsKey' : 'tlsCert'
  throw new StartError(
    'usage',
    `a certificate and its key come together: ${half.origin} is set, ${flagOf(other)} (${variableOf(other)}) is not`,
  )
}

/** Tokens must not cross a network in the clear because of a forgotten setting. */
function refuseOpenDoor({ listen, listenOrigin, tls, behindProxy }: Configuration): void {
  if (isLoopback(listen) || tls || behindProxy) return
  throw new StartError(
    'usage',
    `listen (set in ${listenOrigin}) goes beyond this machine (${listen.host}): add ${flagOf('tlsCert')} and ${flagOf('tlsKey')}, ` +
      `or ${flagOf('behindProxy')} when a proxy in front does TLS`,
  )
}
