import type {
  ExecRequest,
  LaunchSpec,
  MetricsSample,
  ProviderErrorCode,
  ServerInfo,
  ServiceLaunch,
  Tags,
} from '@stead/provider-kit'
import type { KeptImage } from '../images/images.ts'
import type { Isolation } from '../machine/levels.ts'

/** Moves whenever these words change: a supervisor that speaks older ones is replaced, and what it runs is taken over. */
export const protocolVersion = 3

/** What a supervisor is started with. One that was started with something else is replaced in the same way. */
export interface SupervisorSettings {
  /** The region's own directory. */
  readonly directory: string
  readonly level: Isolation
  readonly address: string
  readonly forbiddenPaths: readonly string[]
  readonly forbiddenPorts: readonly number[]
  readonly pidsLimit: number
  readonly requireLimits: boolean
}

/** What can be different about something that was launched. */
export interface LaunchChange {
  readonly tags: Tags
  readonly services: Readonly<Record<string, ServiceChange>>
}

export type ServiceChange = Pick<ServiceLaunch, 'resources' | 'env' | 'secretEnv' | 'files'>

/** What a provider may ask of its supervisor, and what it is answered. */
export interface Calls {
  hello: { request: { readonly protocol: number; readonly settings: string }; reply: Hello }
  launch: {
    request: { readonly id: string; readonly spec: LaunchSpec; readonly fingerprint: string }
    reply: ServerInfo
  }
  describe: { request: { readonly id: string }; reply: ServerInfo }
  list: { request: Readonly<Record<string, never>>; reply: readonly ServerInfo[] }
  start: { request: { readonly id: string }; reply: ServerInfo }
  stop: { request: { readonly id: string; readonly hard: boolean }; reply: ServerInfo }
  reboot: {
    request: { readonly id: string; readonly hard: boolean; readonly service?: string | undefined }
    reply: ServerInfo
  }
  update: { request: { readonly id: string; readonly change: LaunchChange }; reply: ServerInfo }
  terminate: { request: { readonly id: string }; reply: null }
  metrics: { request: { readonly ids: readonly string[] }; reply: readonly (readonly [string, MetricsSample])[] }
  /** Makes an image of what the main service has on its disk. */
  capture: { request: { readonly id: string; readonly image: KeptImage }; reply: null }
  /** Ends the supervisor and nothing else: the next one takes over what runs. */
  retire: { request: Readonly<Record<string, never>>; reply: null }
}

export type CallName = keyof Calls

export interface Hello {
  readonly pid: number
  readonly protocol: number
  readonly settings: string
  readonly notes: readonly string[]
}

/** The first frame of a connection says what it is for. */
export type Opening =
  | { readonly open: 'calls' }
  | { readonly open: 'watch'; readonly after?: string | undefined }
  | { readonly open: 'exec'; readonly id: string; readonly request: ExecRequest }

export interface Request {
  readonly number: number
  readonly call: CallName
  readonly request: unknown
}

export interface WireError {
  readonly code: ProviderErrorCode
  readonly message: string
  readonly retryAfter?: number | undefined
}

export type Reply =
  | { readonly number: number; readonly reply: unknown }
  | { readonly number: number; readonly error: WireError }

/** What an exec connection says besides bytes. */
export type ExecControl =
  | { readonly resize: { readonly columns: number; readonly rows: number } }
  | { readonly signal: string }
export type ExecNews =
  | { readonly started: true }
  | { readonly refused: WireError }
  | { readonly exit: { readonly code: number; readonly signal?: string } }
