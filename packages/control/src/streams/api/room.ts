import type { LastUse } from '../../marks/last-use.ts'
import type { InstanceLogOptions } from '../logs/instance-log.ts'
import type { TicketSurroundings } from '../tickets/tickets.ts'

/** What the routes of streams have around them. */
export interface StreamRoom extends InstanceLogOptions, TicketSurroundings {
  /** When instances were last used. */
  readonly use: Pick<LastUse, 'note'>
}
