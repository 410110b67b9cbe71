import { Agenda, type Appointment, type Duration, millis, minutes, type Timer, type World } from '@stead/world'
import { type BackoffOptions, backoff } from '../backoff.ts'
import type { Revision } from '../words/object.ts'
import { Fifo } from './fifo.ts'
import type { LoopBudget } from './loop-budget.ts'

/** Live work answers a change; resync work looks whether something was missed. */
export type Lane = 'live' | 'resync'

/** How the work on a key ended. */
export type Ending = {
  /** Wakes by these revisions that came while it ran do not count: it made these changes itself. */
  readonly heard?: ReadonlySet<Revision>
} & ({ readonly type: 'settled' } | { readonly type: 'again'; readonly after: Duration } | { readonly type: 'failed' })

export interface QueueOptions {
  readonly world: World
  readonly budget: LoopBudget
  readonly concurrency: number
  /** Does the work of a key. It never rejects. */
  readonly work: (key: string, lane: Lane) => Promise<Ending>
  readonly backoff?: BackoffOptions
}

/** A key that waits, runs, or has failed. One that does nothing of this has no entry. */
export interface Entry {
  readonly key: string
  /** The line it stands in. */
  lane: Lane | undefined
  /** Since when it has waited in line, by the monotonic clock. */
  since: Duration
  /** When it runs next, if that is not now. */
  later: Appointment<Entry> | undefined
  isRunning: boolean
  /** Settles when the run ends. */
  run: Promise<void> | undefined
  /** Who woke it while it ran. Undefined stands for a wake that no change caused. */
  woken: { lane: Lane; by: Set<Revision | undefined> } | undefined
  failures: number
  /** Its shard went elsewhere while it ran: when it ends, that is all. */
  dropped: boolean
  previous: Entry | undefined
  next: Entry | undefined
}

/** 5 ms first: most failures are races that are over by then. 5 min at most: an hour later it is still looked at. */
const defaultBackoff: BackoffOptions = { first: millis(5), cap: minutes(5) }

/** Live work goes first, but under a load that never ends every 16th turn is for the other lane. */
const liveInARow = 16

/**
 * Keys to work on. A key waits at most once and never runs twice at once; woken while it runs, it runs once more after.
 * All of it is in memory: losing it costs a list.
 */
export class WorkQueue {
  protected readonly options: QueueOptions
  private readonly entries = new Map<string, Entry>()
  private readonly lanes: Record<Lane, Fifo<Entry>> = { live: new Fifo(), resync: new Fifo() }
  private readonly delayed = new Agenda<Entry>()
  private alarm: { readonly timer: Timer; readonly due: number } | undefined
  private running = 0
  private liveStreak = 0
  private isPumping = false
  private isClosed = false

  constructor(options: QueueOptions) {
    this.options = options
  }

  /** The key is to be worked on. From now on, whatever happens, a run of it will start. */
  wake(key: string, lane: Lane, cause?: Revision): void {
    if (this.isClosed) return
    const entry = this.find(key) ?? this.newEntry(key)
    if (entry.isRunning) this.wakeRunning(entry, lane, cause)
    else if (entry.lane) this.hurry(entry, lane)
    else if (!entry.later || lane === 'live') this.enqueue(entry, lane)
  }

  /** Forgets these keys: nothing of them starts any more. Those that run, end. */
  drop(unwanted: (key: string) => boolean): void {
    for (const entry of this.entries.values()) {
      if (!unwanted(entry.key)) continue
      if (entry.isRunning) {
        entry.dropped = true
        entry.woken = undefined
      } else this.forget(entry)
    }
  }

  /** Starts nothing any more. */
  close(): void {
    this.isClosed = true
    this.drop(() => true)
  }

  /** Resolves when none of these keys runs. */
  async ended(keys: (key: string) => boolean = () => true): Promise<void> {
    await Promise.all([...this.entries.values()].flatMap(({ key, run }) => (run && keys(key) ? [run] : [])))
  }

  /** Whether the key waits, runs, or is to run later. */
  has(key: string): boolean {
    return this.entries.has(key)
  }

  depth(lane: Lane): number {
    return this.lanes[lane].size
  }

  get runningCount(): number {
    return this.running
  }

  get delayedCount(): number {
    return this.delayed.size
  }

  /** Keys whose last run failed, and how often in a row. */
  *failing(): Generator<{ readonly key: string; readonly failures: number }> {
    for (const { key, failures } of this.entries.values()) if (failures > 0) yield { key, failures }
  }

  /** How long the one that has waited longest has waited in line. */
  oldestAge(): Duration {
    const since = [this.lanes.live.first?.since, this.lanes.resync.first?.since].filter(time => time !== undefined)
    return millis(since.length === 0 ? 0 : this.options.world.monotonic() - Math.min(...since))
  }

  /** The one entry a key has: what keeps it from waiting or running twice. */
  protected find(key: string): Entry | undefined {
    return this.entries.get(key)
  }

  /** A wake that meets a running key is kept: the run may have read before what woke it. */
  protected wakeRunning(entry: Entry, lane: Lane, cause: Revision | undefined): void {
    entry.woken ??= { lane, by: new Set() }
    if (lane === 'live') entry.woken.lane = lane
    entry.woken.by.add(cause)
    entry.dropped = false
  }

  private start(entry: Entry, lane: Lane): void {
    this.running++
    entry.isRunning = true
    entry.run = this.execute(entry, lane)
  }

  private async execute(entry: Entry, lane: Lane): Promise<void> {
    this.finish(entry, await this.options.work(entry.key, lane))
  }

  private finish(entry: Entry, ending: Ending): void {
    const { woken } = entry
    this.running--
    entry.isRunning = false
    entry.run = undefined
    entry.woken = undefined
    entry.failures = ending.type === 'failed' ? entry.failures + 1 : 0
    const wakes = woken ? [...woken.by].filter(cause => cause === undefined || !ending.heard?.has(cause)) : []
    if (this.isClosed || entry.dropped) this.forget(entry)
    else if (woken && wakes.length > 0) this.enqueue(entry, woken.lane)
    else if (ending.type === 'settled') this.forget(entry)
    else if (ending.type === 'again') this.delay(entry, ending.after)
    else this.delay(entry, this.backoffOf(entry))
    this.pump()
  }

  private newEntry(key: string): Entry {
    const entry: Entry = {
      key,
      lane: undefined,
      since: millis(0),
      later: undefined,
      isRunning: false,
      run: undefined,
      woken: undefined,
      failures: 0,
      dropped: false,
      previous: undefined,
      next: undefined,
    }
    this.entries.set(key, entry)
    return entry
  }

  private enqueue(entry: Entry, lane: Lane): void {
    this.notLater(entry)
    entry.lane = lane
    entry.since = this.options.world.monotonic()
    this.lanes[lane].push(entry)
    this.schedulePump()
  }

  private hurry(entry: Entry, lane: Lane): void {
    if (lane !== 'live' || entry.lane === 'live') return
    this.lanes.resync.remove(entry)
    this.enqueue(entry, 'live')
  }

  private delay(entry: Entry, length: Duration): void {
    entry.later = this.delayed.add(this.options.world.monotonic() + Math.max(0, length), entry)
    this.setAlarm()
  }

  private backoffOf({ failures }: Entry): Duration {
    return backoff(this.options.backoff ?? defaultBackoff, failures, this.options.world.random())
  }

  private notLater(entry: Entry): void {
    if (!entry.later) return
    this.delayed.remove(entry.later)
    entry.later = undefined
    this.setAlarm()
  }

  private forget(entry: Entry): void {
    this.notLater(entry)
    if (entry.lane) this.lanes[entry.lane].remove(entry)
    entry.lane = undefined
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key)
  }

  /** One timer for all: the first to be due. */
  private setAlarm(): void {
    const due = this.delayed.first()?.due
    if (due === this.alarm?.due) return
    this.alarm?.timer.cancel()
    this.alarm = undefined
    if (due === undefined) return
    const { world } = this.options
    this.alarm = { due, timer: world.setTimer(millis(Math.max(0, due - world.monotonic())), () => this.ring()) }
  }

  private ring(): void {
    this.alarm = undefined
    const now = this.options.world.monotonic()
    for (let next = this.delayed.takeDue(now); next; next = this.delayed.takeDue(now)) {
      next.item.later = undefined
      this.enqueue(next.item, 'live')
    }
    this.setAlarm()
  }

  /** Never at once: a wake comes in the middle of a change that others have yet to hear of. */
  private schedulePump(): void {
    if (this.isPumping) return
    this.isPumping = true
    queueMicrotask(() => {
      this.isPumping = false
      this.pump()
    })
  }

  private pump(): void {
    while (this.running < this.options.concurrency) {
      if (this.lanes.live.size + this.lanes.resync.size === 0) return
      if (!this.options.budget.hasTime(this.resume)) return
      const lane = this.nextLane()
      const entry = this.lanes[lane].first!
      this.lanes[lane].remove(entry)
      entry.lane = undefined
      this.start(entry, lane)
    }
  }

  private readonly resume = () => this.pump()

  private nextLane(): Lane {
    const { live, resync } = this.lanes
    const turn = live.size === 0 || (this.liveStreak >= liveInARow && resync.size > 0) ? 'resync' : 'live'
    this.liveStreak = turn === 'live' ? this.liveStreak + 1 : 0
    return turn
  }
}
