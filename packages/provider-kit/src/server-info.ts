import type { Instant } from '@stead/world'
import type { PortProtocol } from './launch-spec.ts'

/** The neutral states. A provider maps its own words to these in one table. */
export const serverStates = [
  'pending',
  'running',
  'stopping',
  'stopped',
  'terminating',
  'terminated',
  'unknown',
] as const
export type ServerState = (typeof serverStates)[number]

export interface Endpoint {
  readonly service?: string
  readonly name: string
  readonly protocol: PortProtocol
  readonly host: string
  readonly port: number
  readonly url?: string
  readonly public: boolean
}

export interface Addresses {
  readonly private: readonly string[]
  readonly public: readonly string[]
  readonly mac?: string
}

export interface ServiceInfo {
  readonly state: 'waiting' | 'running' | 'exited' | 'unknown'
  readonly ready: boolean
  /** What its health checks say; absent when it has none. */
  readonly health?: 'healthy' | 'unhealthy' | 'unknown'
  readonly restarts: number
  readonly exitCode?: number
  readonly reason?: string
}

/** What a provider says of one backend object. Unknown is said as unknown, never guessed. */
export interface ServerInfo {
  /** The backend's id. */
  readonly id: string
  readonly state: ServerState
  readonly stateReason?: string
  readonly launchedAt?: Instant
  /** What it has and runs, where the backend says so: how a drift from what was asked is seen. */
  readonly flavor?: string
  readonly image?: string
  readonly addresses: Addresses
  readonly endpoints: readonly Endpoint[]
  readonly services: Readonly<Record<string, ServiceInfo>>
  readonly tags: Readonly<Record<string, string>>
}
