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

type Asked = Pick<Database, 'world' | 'schema' | 'ask'>

/** What a notification to oneself has shown. */
type Proof = 'working' | 'swallowed' | 'nothing'
/** Between tries to send one that proves something. */
const betweenTries = millis(200)

/** Tells the other nodes that the log has grown, and hears it from them. Only a hint: whoever misses it polls. */
export class Notifications {
  private readonly world: World
  private readonly database: Asked
  private readonly log: Logger
  private readonly onHint: () => void
  private current: NotificationState = 'unknown'
  private awaited: { readonly token: string; readonly arrived: (proof: Proof) => void } | undefined
  private tests = 0
  private told: Revision = 0
  private newest: Revision = 0
  private quiet: Timer | undefined

  constructor(database: Asked, log: Logger, onHint: () => void) {
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
    this.tests++
    this.awaited?.arrived('nothing')
  }

  private notify(payload: string): Promise<unknown> {
    return this.database.ask('SELECT pg_notify($1, $2)', [this.database.schema.channel, payload], patience)
  }

  /**
   * One that came while the session had a question under way proves nothing: a pooler that lends out sessions by
   * transaction has lent us one just then, perhaps the one that listens.
   */
  heard(payload: string, wasAsking: boolean): void {
    if (payload === this.awaited?.token) this.awaited.arrived(wasAsking ? 'nothing' : 'working')
    else if (payload === '') this.onHint()
  }

  /** Sends one to itself, through another session, and sees whether it arrives; again, until that proves something. */
  async test(): Promise<void> {
    const test = ++this.tests
    while (test === this.tests) {
      const proof = await this.sendToSelf()
      if (test !== this.tests || proof === undefined) return
      if (proof !== 'nothing') return this.conclude(proof)
      await this.world.sleep(betweenTries)
    }
  }

  /** Undefined when it could not be sent: that says nothing about whether it would have arrived. */
  private async sendToSelf(): Promise<Proof | undefined> {
    const token = newId(this.world, 'test')
    const arrival = new Promise<Proof>(resolve => {
      const timer = this.world.setTimer(patience, () => resolve('swallowed'))
      this.awaited = {
        token,
        arrived: proof => {
          timer.cancel()
          resolve(proof)
        },
      }
    })
    const sent = await this.notify(token).then(
      () => true,
      () => false,
    )
    return sent ? arrival : undefined
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
