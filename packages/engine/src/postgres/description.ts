import type { Duration } from '@stead/world'
import type { StoreDescription } from '../words/store.ts'
import { hostName } from './address.ts'
import type { Connector } from './connector.ts'
import type { NotificationState } from './notifications.ts'

export interface PostgresDescription extends StoreDescription {
  readonly database: 'postgresql'
  readonly host: string
  readonly name: string
  readonly user: string
  readonly schema: string
  readonly notifications: NotificationState
  /** How long ago all of the log was last known to be here. */
  readonly lag: Duration
  readonly sessions: number
  /** Requests that wait for a session. */
  readonly waitingReads: number
}

export const formatVersion = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`

export function warningsOf(connector: Connector, notifications: NotificationState): readonly string[] {
  const warnings: string[] = []
  if (connector.facts?.fsync === false)
    warnings.push('fsync is off: what was acknowledged may be lost when the machine loses power')
  if (notifications === 'swallowed')
    warnings.push('LISTEN does not work, probably because of a pooler: changes of other nodes are found by polling')
  if (connector.pooled)
    warnings.push('a pooler refuses the settings of a session: statements that hang are not ended by the server')
  return warnings
}

export const describeServer = (connector: Connector) => ({
  version: formatVersion(connector.facts?.version ?? 0),
  host: hostName(connector.host),
  name: connector.facts?.database ?? '',
  user: connector.facts?.user ?? '',
})
