import type { Controller, Logger, ReadCache, Sealer, Store } from '@stead/engine'
import type { World } from '@stead/world'
import type { Tell } from '../audit/deeds.ts'
import type { Route } from '../door/route.ts'
import type { Recall } from '../identity/authentication/recall.ts'
import { expiryController } from '../identity/expiry.ts'
import { useMark } from '../instances/gather.ts'
import { LastUse } from '../marks/last-use.ts'
import type { RegionClients } from '../regions/clients.ts'
import { logRoutes } from './api/logs.ts'
import { openRoutes } from './api/open.ts'
import { terminalRoutes } from './api/terminals.ts'
import { LogReads } from './logs/log-reads.ts'
import { streamTickets } from './tickets/model.ts'

export interface StreamRoomOptions {
  readonly store: Pick<Store, 'blob' | 'setMarks' | 'marks'>
  readonly sealer: Sealer
  readonly clients: RegionClients
  readonly cache: Pick<ReadCache, 'onChange' | 'platform'>
  readonly recall: Recall
  readonly world: World
  readonly log: Logger
}

export interface StreamsOpened {
  readonly routes: readonly Route[]
  close(): Promise<void>
}

/** What people see and do inside of what runs: logs, commands, consoles. */
export function openStreams(options: StreamRoomOptions): StreamsOpened {
  const { world, store, log } = options
  const use = new LastUse({ store, world, log, what: 'instances', mark: useMark })
  const room = { ...options, reads: new LogReads(world), use }
  return {
    routes: [...logRoutes(room), ...terminalRoutes(room), ...openRoutes(room)],
    close: () => use.close(),
  }
}

/** Tickets that nobody used. */
export const streamControllers = (tell: Tell): readonly Controller[] => [expiryController(tell, streamTickets)]
