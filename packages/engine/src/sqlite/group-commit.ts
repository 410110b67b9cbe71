import { type Duration, millis, seconds, type Timer, type World } from '@stead/world'
import { type EncodedChange, type EncodedChangeSet, makeEntry, weigh } from '../encoding.ts'
import type { Committed } from '../words/change-set.ts'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import type { Batch, BatchAnswer, SetAnswer, WriterArgs, WriterCall, WriterMethod, WriterResult } from './batch.ts'
import { callerError, fatalError, isFailure, type ThreadFailure } from './thread-failure.ts'

export interface GroupCommitOptions {
  readonly world: World
  readonly path: string
  readonly post: (batch: Batch) => void
  /** Called with what was committed, in order, before any of its writers learns that it was. */
  readonly onEntries: (entries: readonly LogEntry[]) => void
  readonly onFatal: (error: Error) => void
}

/** Something handed to the writer, and whom to tell. */
interface Waiting {
  readonly work: EncodedChangeSet | WriterCall
  readonly deadline: number
  readonly weight: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Two: the writer begins the next while we tell about the last and encode the one after. */
const maxInFlight = 2
/** Fewer are not split: a second sync would cost more than the overlap gains. */
const minBatch = 64
const maxBatch = 512
const maxBatchWeight = 4 * 1_048_576
/** A disk that stands still must not fill the memory. */
const maxWaitingWeight = 64 * 1_048_576

export const defaultTimeout = seconds(10)

/**
 * Gathers what arrives while the writer is busy and sends it as one transaction: the disk is asked once for many.
 * Everybody is answered in the order of the log, and only after the writer said that it is durable.
 */
export class GroupCommit {
  private readonly options: GroupCommitOptions
  private waiting: Waiting[] = []
  private waitingWeight = 0
  private readonly inFlight: (readonly Waiting[])[] = []
  private flushing = false
  private ending: Error | undefined
  private idle: PromiseWithResolvers<void> | undefined
  private timer: Timer | undefined
  private nextDeadline = Number.POSITIVE_INFINITY

  constructor(options: GroupCommitOptions) {
    this.options = options
  }

  /** How much waits for its turn to be written. */
  get waitingCount(): number {
    return this.waiting.length
  }

  commit(set: EncodedChangeSet, timeout: Duration): Promise<Committed> {
    return this.enqueue(set, weigh(set), timeout) as Promise<Committed>
  }

  call<Method extends WriterMethod>(method: Method, ...args: WriterArgs<Method>): Promise<WriterResult<Method>> {
    return this.enqueue({ method, args }, 0, defaultTimeout) as Promise<WriterResult<Method>>
  }

  private enqueue(work: Waiting['work'], weight: number, timeout: Duration): Promise<unknown> {
    if (this.ending) return Promise.reject(this.ending)
    if (this.waitingWeight + weight > maxWaitingWeight)
      return Promise.reject(new UnavailableError('the disk is too slow for what is asked of it: try again later'))
    return new Promise((resolve, reject) => {
      const deadline = this.options.world.monotonic() + timeout
      this.waiting.push({ work, weight, deadline, resolve, reject })
      this.waitingWeight += weight
      this.checkBy(deadline)
      this.flushSoon()
    })
  }

  /** In a microtask: all that was told by one answer writes again in the same turn, and shall be one batch. */
  private flushSoon(): void {
    if (this.flushing || this.inFlight.length >= maxInFlight) return
    this.flushing = true
    queueMicrotask(() => {
      this.flushing = false
      while (this.inFlight.length < maxInFlight && this.waiting.length > 0) this.flush()
    })
  }

  private flush(): void {
    const batch = this.takeBatch()
    this.inFlight.push(batch)
    const sets: EncodedChangeSet[] = []
    const calls: WriterCall[] = []
    for (const { work } of batch) {
      if ('method' in work) calls.push(work)
      else sets.push(work)
    }
    this.options.post({ now: this.options.world.now(), sets, calls })
  }

  /** What waits is shared between the batches that may still be sent, so that writing one overlaps with telling about the other. */
  private takeBatch(): readonly Waiting[] {
    const share = Math.ceil(this.waiting.length / (maxInFlight - this.inFlight.length))
    const most = Math.min(Math.max(share, minBatch), maxBatch, this.waiting.length)
    let count = 0
    let weight = 0
    while (count < most && (count === 0 || weight < maxBatchWeight)) weight += this.waiting[count++]!.weight
    this.waitingWeight -= weight
    return this.waiting.splice(0, count)
  }

  /** The writer's answer to the oldest batch in flight. */
  answered(answer: BatchAnswer): void {
    const batch = this.inFlight.shift()
    if (!batch) throw new Error('the writer answered what nobody asked')
    this.flushSoon()
    this.settleSets(batch.filter(isSet), answer.sets)
    this.settleCalls(batch.filter(isCall), answer.calls)
    if (this.inFlight.length + this.waiting.length === 0) this.idle?.resolve()
  }

  private settleSets(batch: readonly WaitingSet[], answers: BatchAnswer['sets']): void {
    if (!isAnswers(answers)) {
      const error = this.errorOf(answers)
      for (const { reject } of batch) reject(error)
      return
    }
    const entries = batch.flatMap(({ work }, index) => entryOf(work, answers[index]!) ?? [])
    this.options.onEntries(entries)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index]!
      if ('conflict' in answer) reject(new ConflictError(answer.conflict))
      else resolve({ revision: answer.revision, at: answer.at } satisfies Committed)
    }
  }

  private settleCalls(batch: readonly Waiting[], answers: BatchAnswer['calls']): void {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index]!
      if (isFailure(answer)) reject(this.errorOf(answer))
      else resolve(answer.value)
    }
  }

  private errorOf(failure: ThreadFailure): Error {
    const fatal = fatalError(failure, this.options.path)
    if (fatal) this.options.onFatal(fatal)
    return fatal ?? callerError(failure, this.options.path)
  }

  /** Keeps one timer for all: nearly everything is answered long before, and a timer each would cost more than it. */
  private checkBy(deadline: number): void {
    if (deadline >= this.nextDeadline) return
    this.timer?.cancel()
    this.nextDeadline = deadline
    const wait = Math.max(0, deadline - this.options.world.monotonic())
    this.timer = this.options.world.setTimer(millis(wait), () => this.checkDeadlines())
  }

  private checkDeadlines(): void {
    this.nextDeadline = Number.POSITIVE_INFINITY
    this.timer = undefined
    const now = this.options.world.monotonic()
    const late = ({ deadline }: Waiting) => deadline <= now
    for (const { reject } of this.waiting.filter(late))
      reject(new UnavailableError('the disk is too slow: it was not written, and will not be'))
    this.waiting = this.waiting.filter(waiting => !late(waiting))
    this.waitingWeight = this.waiting.reduce((sum, { weight }) => sum + weight, 0)
    const sent = this.inFlight.flat()
    for (const { reject } of sent.filter(late))
      reject(new UnavailableError('the disk has not answered in time: ask for the outcome'))
    const next = Math.min(...[...this.waiting, ...sent].filter(each => !late(each)).map(({ deadline }) => deadline))
    if (Number.isFinite(next)) this.checkBy(next)
  }

  /** Takes nothing more; resolves when all that was taken is answered. */
  async drain(reason: Error): Promise<void> {
    if (this.ending) return
    this.ending = reason
    this.idle = Promise.withResolvers()
    if (this.inFlight.length + this.waiting.length === 0) this.idle.resolve()
    await this.idle.promise
    this.timer?.cancel()
  }

  /** The writer will never answer again. */
  fail(error: Error): void {
    this.ending = error
    this.timer?.cancel()
    for (const { reject } of [...this.inFlight.flat(), ...this.waiting]) reject(error)
    this.inFlight.length = 0
    this.waiting = []
    this.idle?.resolve()
  }
}

type WaitingSet = Waiting & { readonly work: EncodedChangeSet }
const isCall = ({ work }: Waiting): boolean => 'method' in work
const isSet = (waiting: Waiting): waiting is WaitingSet => !isCall(waiting)
const isAnswers = (answers: BatchAnswer['sets']): answers is readonly SetAnswer[] => Array.isArray(answers)

/** The log entry a change-set left, rebuilt from what was sent and what the writer added. */
function entryOf({ puts }: EncodedChangeSet, answer: SetAnswer): LogEntry | undefined {
  if ('conflict' in answer || answer.replayed) return undefined
  const { revision, at, generations, removed } = answer
  if (puts.length + removed.length === 0) return undefined
  const changes: EncodedChange[] = removed.map(object => ({ op: 'remove', ...object }))
  for (const [index, put] of puts.entries())
    changes.push({ op: 'put', ...put, revision, generation: generations[index]! })
  return makeEntry(revision, at, changes)
}
