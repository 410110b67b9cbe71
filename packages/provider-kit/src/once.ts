import { type Duration, seconds, type World } from '@stead/world'
import { promptly } from './deadline.ts'
import { isProviderError, ProviderError } from './errors.ts'
import type { CreateOptions } from './provider.ts'
import type { CreateToken } from './tokens.ts'

export interface Found<T> {
  readonly value: T
  /** What is written on it; undefined when it carries none. */
  readonly fingerprint: string | undefined
}

/** One create, in the parts that a backend without tokens offers. */
export interface Create<T> {
  readonly token: CreateToken
  readonly fingerprint: string
  /** Looks for what an earlier call with this token made. */
  find(signal?: AbortSignal): Promise<Found<T> | undefined>
  make(): Promise<T>
  /** Whether a `Conflict` of `make` says that the name is taken; of backends that have no other, all do. */
  isTaken?(error: ProviderError): boolean
}

function sameAs<T>(create: Create<T>, found: Found<T>): T {
  if (found.fingerprint === create.fingerprint) return found.value
  throw new ProviderError('Conflict', `token ${create.token} was used for something else`)
}

/** Once by a unique name: the backend refuses the second one with `Conflict`, and then it is looked up and compared. */
export async function createByName<T>(create: Create<T>): Promise<T> {
  try {
    return await create.make()
  } catch (error) {
    if (!isProviderError(error, 'Conflict') || create.isTaken?.(error) === false) throw error
    const found = await create.find()
    if (found) return sameAs(create, found)
    // Taken, yet not to be seen: a picture from before it was made, or after it was removed. Either passes.
    throw new ProviderError('Unavailable', `the name of ${create.token} is taken by something not yet visible`, {
      retryAfter: seconds(1),
      cause: error,
    })
  }
}

interface Running<T> {
  readonly fingerprint: string
  readonly work: Promise<T>
  readonly unsent: AbortController
  waiting: number
}

/**
 * Once by search: what carries the token is looked for; when there is nothing, `settle` has to pass, in which an earlier call
 * would come to light, and it is looked for again. Callers of one process with one token share one create.
 */
export class SearchedCreates<T> {
  readonly #world: World
  readonly #settle: Duration
  readonly #running = new Map<CreateToken, Running<T>>()

  constructor(world: World, settle: Duration) {
    this.#world = world
    this.#settle = settle
  }

  async once(create: Create<T>, options: CreateOptions = {}): Promise<T> {
    options.signal?.throwIfAborted()
    const running = this.#running.get(create.token) ?? this.#begin(create, options.fresh ?? false)
    if (running.fingerprint !== create.fingerprint)
      throw new ProviderError('Conflict', `token ${create.token} is being used for something else`)
    running.waiting++
    try {
      return await promptly(running.work, options.signal)
    } finally {
      // When nobody waits any more and nothing was sent, nothing will be.
      const underWay = this.#running.get(create.token) === running
      if (--running.waiting === 0 && underWay) running.unsent.abort(options.signal?.reason)
    }
  }

  #begin(create: Create<T>, fresh: boolean): Running<T> {
    const unsent = new AbortController()
    const work = this.#search(create, fresh, unsent.signal).finally(() => this.#running.delete(create.token))
    const running = { fingerprint: create.fingerprint, work, unsent, waiting: 0 }
    this.#running.set(create.token, running)
    return running
  }

  async #search(create: Create<T>, fresh: boolean, signal: AbortSignal): Promise<T> {
    if (!fresh) {
      const found = await create.find(signal)
      if (found) return sameAs(create, found)
      await this.#world.sleep(this.#settle, signal)
      const late = await create.find(signal)
      if (late) return sameAs(create, late)
    }
    signal.throwIfAborted()
    return create.make()
  }
}
