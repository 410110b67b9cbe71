import { millis, newId, seconds, type Timer, type World } from '@stead/world'
import type { Logger } from '../words/logger.ts'
import type { Revision } from '../words/object.ts'
import type { Database } from './database.ts'

/** Whether what nodes tell each other arrives. A pooler that lends out sessions by transaction swallows it. */
export type NotificationState = 'unknown' | 'working' | 'swallowed'

/**
 * NOTIFY takes a lock on the whole database while it commits, and one per commit halves the rate of writes: so it goes
 * off the write path, at most one in this time.
 */
const quietTime = millis(10)
/** How long a notification to oneself may take. */
const patience = seconds(2)

/** Tells the other nodes that the log has grown, and hears it from them. Only a hint: whoever misses it polls. */
export class Notifications {
  private readonly world: World
  private readonly database: Database
  private readonly log: Logger
  private readonly onHint: () => void
  private current: NotificationState = 'unknown'
  private awaited: { readonly token: string; readonly arrived: () => void } | undefined
  private told: Revision = 0
  private newest: Revision = 0
  private quiet: Timer | undefined

  constructor(database: Database, log: Logger, onHint: () => void) {
    this.world = database.world
    this.database = database
    this.log = log
    this.onHint = onHint
  }

  get state(): NotificationState {
    return this.current
  }

  tell(revision: Revision): void {
    this.newest = Math.max(this.newest, revision)
    if (!this.quiet) this.send()
  }

  private send(): void {
    if (this.newest <= this.told) return
    this.told = this.newest
    this.quiet = this.world.setTimer(quietTime, () => {
      this.quiet = undefined
      this.send()
    })
    this.notify('').catch(() => undefined)
  }

  close(): void {
    this.quiet?.cancel()
    this.awaited?.arrived()
  }

  private notify(payload: string): Promise<unknown> {
    return this.database.ask('SELECT pg_notify($1, $2)', [this.database.schema.channel, payload], patience)
  }

  heard(payload: string): void {
    if (payload === this.awaited?.token) this.awaited.arrived()
    else if (payload === '') this.onHint()
  }

  /** Sends one to itself, through another session, and sees whether it arrives. */
  async test(): Promise<void> {
    const token = newId(this.world, 'test')
    const arrival = new Promise<boolean>(resolve => {
      const timer = this.world.setTimer(patience, () => resolve(false))
      this.awaited = {
        token,
        arrived: () => {
          timer.cancel()
          resolve(true)
        },
      }
    })
    // That it could not be sent says nothing about whether it would have arrived.
    const sent = await this.notify(token).then(
      () => true,
      () => false,
    )
    if (sent) this.conclude((await arrival) ? 'working' : 'swallowed')
  }

  private conclude(state: NotificationState): void {
    if (state === 'swallowed' && this.current !== 'swallowed')
      this.log.warn(
        {},
        'LISTEN does not work here, probably because a pooler lends out sessions by transaction: nodes see each other’s changes by polling',
      )
    this.current = state
  }
}
