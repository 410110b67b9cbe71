import { millis, minutes, SeededRandom, VirtualWorld } from '@stead/world'
import { LoopBudget } from '../controllers/loop-budget.ts'
import { type Ending, type Lane, WorkQueue } from '../controllers/queue.ts'

interface KeyHistory {
  /** Wakes that no run has answered yet, by the revision that caused them. */
  unanswered: Set<number>
  running: number
  /** The first moment at which it may run without having been woken. */
  mayRunFrom: number
  waitingLive: boolean
}

/**
 * Drives a queue with a random load on a virtual clock and writes down every promise it breaks.
 * In a file of its own so that broken queues can be driven by it too.
 */
export class QueueModel {
  readonly broken = new Set<string>()
  runs = 0
  private readonly world: VirtualWorld
  private readonly queue: WorkQueue
  private readonly chance: SeededRandom
  private readonly keys = new Map<string, KeyHistory>()
  private readonly concurrency: number
  private running = 0
  private revision = 0
  private laneBefore: Lane | undefined

  constructor(seed: number, Queue: typeof WorkQueue = WorkQueue) {
    this.world = new VirtualWorld({ seed })
    this.chance = new SeededRandom(`load/${seed}`)
    this.concurrency = 1 + this.chance.below(4)
    this.queue = new Queue({
      world: this.world,
      budget: new LoopBudget(this.world),
      concurrency: this.concurrency,
      work: (key, lane) => this.work(key, lane),
      backoff: { first: millis(5), cap: millis(200) },
    })
  }

  async run(wakes: number): Promise<void> {
    for (let i = 0; i < wakes; i++) {
      const lane = this.chance.below(3) === 0 ? 'resync' : 'live'
      this.wake(`k${this.chance.below(6)}`, lane)
      if (this.chance.below(3) === 0) await this.world.runFor(millis(this.chance.below(20)))
    }
    await this.world.runUntilIdle(minutes(60))
    for (const [key, { unanswered }] of this.keys) if (unanswered.size > 0) this.broken.add(`a wake of ${key} was lost`)
    if (this.queue.depth('live') + this.queue.depth('resync') + this.queue.runningCount + this.queue.delayedCount > 0)
      this.broken.add('something is left in the queue')
    for (const key of this.keys.keys()) if (this.queue.has(key)) this.broken.add(`${key} is remembered for nothing`)
  }

  private historyOf(key: string): KeyHistory {
    let history = this.keys.get(key)
    if (!history) {
      history = { unanswered: new Set(), running: 0, mayRunFrom: Number.POSITIVE_INFINITY, waitingLive: false }
      this.keys.set(key, history)
    }
    return history
  }

  private wake(key: string, lane: Lane): number {
    const history = this.historyOf(key)
    history.unanswered.add(++this.revision)
    if (lane === 'live' && history.running === 0) history.waitingLive = true
    this.queue.wake(key, lane, this.revision)
    return this.revision
  }

  private async work(key: string, lane: Lane): Promise<Ending> {
    const history = this.historyOf(key)
    this.runs++
    if (history.running > 0) this.broken.add('a key ran twice at once')
    if (this.running >= this.concurrency) this.broken.add('more ran than may')
    if (history.unanswered.size === 0 && this.world.time < history.mayRunFrom)
      this.broken.add('a key ran that nobody woke')
    this.checkLane(lane)
    history.running++
    this.running++
    history.waitingLive = false
    history.unanswered = new Set()
    history.mayRunFrom = Number.POSITIVE_INFINITY
    const ownChanges = new Set<number>()
    if (this.chance.below(4) === 0) ownChanges.add(this.wake(key, 'live'))
    await this.world.sleep(millis(this.chance.below(15)))
    history.running--
    this.running--
    return this.end(history, ownChanges)
  }

  /** While live work waits, at most one turn at a time is the other lane's. */
  private checkLane(lane: Lane): void {
    const liveWaits = [...this.keys.values()].some(({ waitingLive }) => waitingLive)
    if (lane === 'resync' && liveWaits && this.laneBefore === 'resync')
      this.broken.add('resync work went before live work')
    this.laneBefore = liveWaits ? lane : undefined
  }

  private end(history: KeyHistory, ownChanges: ReadonlySet<number>): Ending {
    const draw = this.chance.below(10)
    if (draw < 6) return { type: 'settled' }
    for (const revision of ownChanges) history.unanswered.delete(revision)
    if (draw < 8) {
      const after = millis(1 + this.chance.below(30))
      history.mayRunFrom = this.world.time + after
      return { type: 'again', after, heard: ownChanges }
    }
    history.mayRunFrom = this.world.time + 2.5
    return { type: 'failed', heard: ownChanges }
  }
}
