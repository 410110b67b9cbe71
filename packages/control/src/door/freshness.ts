import { type Duration, seconds, type World } from '@stead/world'
import { fail } from '../errors/index.ts'
import type { DoorEngine } from './engine.ts'

/** A node further behind than this answers nobody: it may not know yet whose token was revoked. */
const furthestBehind: Duration = seconds(5)
/** How long a request waits for this node to catch up with what its caller has seen elsewhere. */
const patience: Duration = seconds(5)
/** Waiting needs no credential, so only so many may. */
const mostWaiting = 1_000

/** Makes reads new enough: for everybody, and for callers who say what they have seen (`Stead-Revision`). */
export class Freshness {
  readonly #cache: DoorEngine['cache']
  readonly #world: World
  #waiting = 0

  constructor(cache: DoorEngine['cache'], world: World) {
    this.#cache = cache
    this.#world = world
  }

  refuseIfBehind(): void {
    if (this.#cache.loaded && this.#cache.lag() <= furthestBehind) return
    throw fail('unavailable', 'this node is behind the others and catching up', { retryAfter: seconds(1) })
  }

  /** Waits until this node has reached the revision, for a while. */
  async await(revision: number): Promise<void> {
    if (this.#cache.revision >= revision) return
    const late = fail('unavailable', `this node has not reached revision ${revision} yet`, { retryAfter: seconds(1) })
    if (this.#waiting >= mostWaiting) throw late
    const controller = new AbortController()
    const timer = this.#world.setTimer(patience, () => controller.abort(late))
    this.#waiting++
    try {
      await this.#cache.reached(revision, controller.signal)
    } finally {
      this.#waiting--
      timer.cancel()
    }
  }
}

/** The header in which a caller says what it has seen. */
export function readRevision(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  const message = 'must be a revision'
  throw fail('invalid_request', `Stead-Revision ${message}`, { errors: [{ path: 'Stead-Revision', message }] })
}
