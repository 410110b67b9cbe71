import { type BaseStatus, kindOf, type StoredObject } from '@stead/engine'
import { type Duration, type Instant, seconds } from '@stead/world'
import type { Standing } from '../../identity/caller.ts'
import type { Permission } from '../../identity/permissions.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import type { SealedContent } from '../../sealed/model.ts'

/** What can be opened with a ticket. */
export type StreamType = 'exec' | 'console' | 'logs'

export const streamPermissions = {
  exec: 'instances:exec',
  console: 'instances:console',
  logs: 'instances:logs',
} as const satisfies Record<StreamType, Permission>

/**
 * Opens one WebSocket, once, and soon. Browsers cannot show a token when they open one; a ticket may be in an address and in
 * the log of a proxy without harm.
 */
export interface TicketSpec {
  readonly hash: string
  readonly expiresAt: Instant
  /** Who asked for it. What it opens is theirs, and ends with their right to it. */
  readonly standing: Standing
  /** The id of the instance. */
  readonly instance: string
  readonly type: StreamType
  /** What was asked for. Sealed: a command and its environment may hold secrets. */
  readonly request: SealedContent
}

export type StreamTicket = StoredObject<TicketSpec, BaseStatus>
export const streamTickets = kindOf<StreamTicket>('stream-ticket')

export const ticketLifetime: Duration = seconds(60)

export const Ticket = Type.Object(
  {
    ticket: secret(Type.String({ description: 'Opens one WebSocket, once.' })),
    url: secret(Type.String({ description: 'Where: a path on this host, with `ws:` or `wss:`.' })),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { title: 'StreamTicket' },
)
