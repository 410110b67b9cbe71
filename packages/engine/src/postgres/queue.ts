import { type Duration, millis, type Timer, type World } from '@stead/world'
import { type EncodedChangeSet, weigh } from '../encoding.ts'
import type { Sending } from '../store/certain-commit.ts'
import type { Committed } from '../words/change-set.ts'
import { UnavailableError } from '../words/errors.ts'

/** A change-set on its way, and whom to tell. */
export interface Waiting {
  readonly set: EncodedChangeSet
  readonly resent: boolean
  readonly weight: number
  readonly deadline: number
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

/** Others wait for their turn meanwhile: about 15 ms for a batch of this size. */
const maxBatch = 256
const maxBatchWeight = 4 * 1_048_576
/** A database that stands still must not fill the memory. */
const maxWaitingWeight = 64 * 1_048_576

/** Change-sets that wait to be sent, oldest first, and those that wait for their answer, each with its deadline. */
export class CommitQueue {
  private readonly world: World
  private waiting: Waiting[] = []
  private readonly sent = new Set<Waiting>()
  private weight = 0
  private timer: { readonly deadline: number; readonly timer: Timer } | undefined

  constructor(world: World) {
    this.world = world
  }

  get length(): number {
    return this.waiting.length
  }

  add(set: EncodedChangeSet, { timeout, resent }: Sending): Promise<Committed> {
    const weight = weigh(set)
    if (this.weight + weight > maxWaitingWeight)
      return Promise.reject(new UnavailableError('the database is too slow for what is asked of it'))
    return new Promise((resolve, reject) => {
      const deadline = this.world.monotonic() + timeout
      this.waiting.push({ set, resent, weight, deadline, resolve, reject })
      this.weight += weight
      this.checkIn(timeout)
    })
  }

  /** The oldest, up to the first that was sent twice: the procedure looks for earlier sendings before it begins. */
  takeBatch(): readonly Waiting[] {
    const ids = new Set<string>()
    let count = 0
    let weight = 0
    for (const each of this.waiting) {
      if (count === maxBatch || (count > 0 && weight + each.weight > maxBatchWeight) || ids.has(each.set.id)) break
      ids.add(each.set.id)
      weight += each.weight
      count++
    }
    this.weight -= weight
    const batch = this.waiting.splice(0, count)
    for (const each of batch) this.sent.add(each)
    return batch
  }

  /** Whether this change-set is here, waiting or sent. */
  has(changeSetId: string): boolean {
    const isIt = ({ set }: Waiting) => set.id === changeSetId
    return this.waiting.some(isIt) || [...this.sent].some(isIt)
  }

  /** These have been told. */
  settled(batch: readonly Waiting[]): void {
    for (const each of batch) this.sent.delete(each)
  }

  close(): void {
    this.timer?.timer.cancel()
  }

  /** One timer for all: nearly everything is sent long before, and a timer each would cost more than it. */
  private checkIn(timeout: Duration): void {
    const deadline = this.world.monotonic() + timeout
    if (this.timer && this.timer.deadline <= deadline) return
    this.timer?.timer.cancel()
    this.timer = { deadline, timer: this.world.setTimer(timeout, () => this.dropLate()) }
  }

  private dropLate(): void {
    this.timer = undefined
    const now = this.world.monotonic()
    const isLate = ({ deadline }: Waiting) => deadline <= now
    for (const { reject } of this.waiting.filter(isLate))
      reject(new UnavailableError('the database was too busy to take it'))
    this.waiting = this.waiting.filter(each => !isLate(each))
    this.weight = this.waiting.reduce((sum, each) => sum + each.weight, 0)
    // The session goes on: others wait for the same answer. Whoever asks again is told what became of the first.
    const unanswered = [...this.sent]
    for (const { reject } of unanswered.filter(isLate))
      reject(new UnavailableError('the database did not answer in time'))
    const rest = [...this.waiting, ...unanswered.filter(each => !isLate(each))]
    const next = Math.min(...rest.map(({ deadline }) => deadline))
    if (Number.isFinite(next)) this.checkIn(millis(next - now))
  }
}
