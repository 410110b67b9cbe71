import { LoopBudget } from '@stead/engine'
import type { LogLine, LogRequest } from '@stead/provider-kit'
import { type Duration, millis, type World } from '@stead/world'
import type { ReachedServer } from '../reach.ts'
import { Gathering, LogBatch } from './lines.ts'
import { type FollowEnd, SharedLog } from './shared-log.ts'
import { give, type LineSink } from './sink.ts'

/** Where to begin. */
export type LogStart = Pick<LogRequest, 'after' | 'tail' | 'since'>

/** A beginning that was looked at. */
export interface Begun {
  readonly start: LogStart
  /** The line after which everything is new to the reader, even if nothing of what it asks for is there yet. */
  readonly seen: string | undefined
}

/** The whole of it. */
export const fromTheFirst: Begun = { start: {}, seen: undefined }

export interface ServerLogRequest {
  readonly server: ReachedServer
  /** All of them unless said. */
  readonly service: string | undefined
  readonly signal: AbortSignal
}

interface Shared {
  readonly log: SharedLog
  readers: number
}

/** What sending may take of the event loop before others have their turn. */
const longestTurn: Duration = millis(0.5)
/** How many are sent something in a millisecond. */
const sendsPerMillisecond = 25
const shortestGathering = 5
const longestGathering = 20

/** Lines wait for each other, so that as many writes go out as one core has time for besides its other work: few readers, a short wait. */
const gatheringFor = (readers: number): Duration =>
  millis(Math.min(longestGathering, Math.max(shortestGathering, readers / sendsPerMillisecond)))

/** Every log that is read on this node. Those who follow the same share one read of the provider. */
export class LogReads {
  readonly #world: World
  readonly #budget: LoopBudget
  readonly #shared = new Map<string, Shared>()
  #readers = 0

  constructor(world: World) {
    this.#world = world
    this.#budget = new LoopBudget(world, longestTurn)
  }

  /** How many servers are followed now. */
  get size(): number {
    return this.#shared.size
  }

  /**
   * Shows that it can be read, and says what the end of it is now: from this moment on no line is too old for who follows
   * it, however little of what came before was asked for.
   */
  async begin(request: ServerLogRequest, { after, tail, since }: LogStart): Promise<Begun> {
    let last: string | undefined
    for await (const { cursor } of read(request, after === undefined ? { tail: 1 } : { after })) {
      last = cursor
      break
    }
    if (after !== undefined) return { start: { after }, seen: after }
    if (tail === 0) return last === undefined ? fromTheFirst : { start: { after: last }, seen: last }
    const start = { ...(tail !== undefined && { tail }), ...(since !== undefined && { since }) }
    return { start, seen: since === undefined ? undefined : last }
  }

  /** What there is now, in batches. */
  async *there(request: ServerLogRequest, start: LogStart): AsyncGenerator<LogBatch> {
    const gathered = new Gathering()
    const batch = () => new LogBatch(request.server.id, gathered.take())
    for await (const line of read(request, start)) {
      gathered.add(line)
      if (gathered.isFull) yield batch()
    }
    if (!gathered.isEmpty) yield batch()
  }

  /** Sends what there is, then what comes, until the server is gone. */
  async follow(request: ServerLogRequest, { start, seen: last }: Begun, sink: LineSink): Promise<void> {
    let seen = last
    for (let from = start; ; from = seen === undefined ? {} : { after: seen }) {
      for await (const batch of this.there(request, from)) {
        await give(sink, batch, request.signal)
        seen = batch.last
      }
      const end = await this.#share(request, seen, sink)
      if (end.type === 'over') return
      seen = end.seen
    }
  }

  /** Sends what comes after a line that was seen. */
  async #share(request: ServerLogRequest, seen: string | undefined, sink: LineSink): Promise<FollowEnd> {
    const name = JSON.stringify([request.server.id, request.service])
    const shared = this.#join(name, request, seen)
    try {
      return await shared.log.follow(seen, sink, request.signal)
    } finally {
      this.#leave(name, shared)
    }
  }

  #join(name: string, { server, service }: ServerLogRequest, after: string | undefined): Shared {
    const known = this.#shared.get(name)
    const shared = known && !known.log.isOver ? known : { log: this.#open(server, service, after), readers: 0 }
    shared.readers++
    this.#readers++
    this.#shared.set(name, shared)
    return shared
  }

  #open(server: ReachedServer, service: string | undefined, after: string | undefined): SharedLog {
    return new SharedLog({
      world: this.#world,
      budget: this.#budget,
      server: server.id,
      after,
      read: (place, signal) =>
        read({ server, service, signal }, { ...(place !== undefined && { after: place }) }, true),
      gathering: () => gatheringFor(this.#readers),
    })
  }

  #leave(name: string, shared: Shared): void {
    shared.readers--
    this.#readers--
    if (shared.readers > 0) return
    shared.log.close()
    if (this.#shared.get(name) === shared) this.#shared.delete(name)
  }
}

async function* read(
  { server, service, signal }: ServerLogRequest,
  start: LogStart,
  follow = false,
): AsyncGenerator<LogLine> {
  const provider = await server.provider()
  yield* provider.logs!(server.backendId, { ...start, ...(service !== undefined && { service }), follow }, { signal })
}
