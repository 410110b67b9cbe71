import { type Duration, millis, type World } from '@stead/world'
import type { Committed } from '../words/change-set.ts'
import { UnavailableError } from '../words/errors.ts'

/** One sending of a change-set to the database. */
export interface Sending {
  /** How long this one may take; the next follows when it has passed. */
  readonly timeout: Duration
  /**
   * An earlier sending of the same id was not answered and may still arrive. The database then writes a conflict down
   * under the id, so that the earlier one cannot apply after its caller was told that it did not.
   */
  readonly resent: boolean
}

export interface CertainCommit {
  readonly world: World
  /** Over all sendings. */
  readonly timeout: Duration
  /** Sends the change-set once. Rejects with UnavailableError when nothing came back: only that is tried again. */
  readonly send: (sending: Sending) => Promise<Committed>
}

/** Long enough for a slow disk, short enough for several sendings within the default deadline of 10 s. */
const sendingTimeout = millis(2_500)
const firstPause = millis(20)
const longestPause = millis(1_000)

/**
 * Sends a change-set until somebody says what became of it. A lost answer is no answer: the same id goes again, and the
 * database says what came of the first. Gives up when the deadline passes; then `Store.outcome` tells.
 */
export async function commitWithCertainty({ world, timeout, send }: CertainCommit): Promise<Committed> {
  const deadline = world.monotonic() + timeout
  let pause: number = firstPause
  for (let resent = false; ; resent = true) {
    const left = deadline - world.monotonic()
    try {
      return await send({ timeout: millis(Math.min(left, sendingTimeout)), resent })
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      // Half of the pause is drawn: nodes that lost the same database must not come back in step.
      const wait = pause * (0.5 + world.random() / 2)
      if (world.monotonic() + wait >= deadline)
        throw new UnavailableError(`the store did not answer within ${timeout} ms`, { cause: error })
      await world.sleep(millis(wait))
      pause = Math.min(pause * 2, longestPause)
    }
  }
}
