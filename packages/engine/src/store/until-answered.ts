import { type Duration, millis, type World } from '@stead/world'
import { type BackoffOptions, backoff } from '../backoff.ts'
import { UnavailableError } from '../words/errors.ts'

export interface Attempt {
  /** How long this one may take; the next follows when it has passed. */
  readonly timeout: Duration
  /** How many went before and were not answered. */
  readonly earlier: number
}

export interface UntilAnswered<T> {
  readonly world: World
  /** Over all attempts. */
  readonly timeout: Duration
  /** Rejects with UnavailableError when nothing came back: only that is tried again. */
  readonly attempt: (attempt: Attempt) => Promise<T>
}

/** This store will not answer any more: asking again is of no use. */
export class EndedError extends UnavailableError {}

/** Long enough for a slow disk, short enough for several attempts within the default deadline of 10 s. */
const attemptTimeout = millis(2_500)
const pauses: BackoffOptions = { first: millis(20), cap: millis(1_000) }

/** Asks until somebody answers, whatever the answer is, or until the deadline passes. */
export async function untilAnswered<T>({ world, timeout, attempt }: UntilAnswered<T>): Promise<T> {
  const deadline = world.monotonic() + timeout
  let reason: UnavailableError | undefined
  for (let earlier = 0; ; earlier++) {
    const left = deadline - world.monotonic()
    try {
      return await attempt({ timeout: millis(Math.min(left, attemptTimeout)), earlier })
    } catch (error) {
      if (!(error instanceof UnavailableError) || error instanceof EndedError) throw error
      // An attempt that our own deadline cut short says only that; what went wrong before says more.
      if (!reason || left >= attemptTimeout) reason = error
      const pause = backoff(pauses, earlier + 1, world.random())
      if (world.monotonic() + pause >= deadline)
        throw new UnavailableError(`the store did not answer within ${timeout} ms: ${reason.message}`, {
          cause: reason,
        })
      await world.sleep(pause)
    }
  }
}
