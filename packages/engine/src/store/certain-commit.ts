import type { Duration, World } from '@stead/world'
import type { Committed } from '../words/change-set.ts'
import { untilAnswered } from './until-answered.ts'

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

/**
 * Sends a change-set until somebody says what became of it. A lost answer is no answer: the same id goes again, and the
 * database says what came of the first. Gives up when the deadline passes; then `Store.outcome` tells.
 */
export const commitWithCertainty = ({ world, timeout, send }: CertainCommit): Promise<Committed> =>
  untilAnswered({ world, timeout, attempt: ({ timeout, earlier }) => send({ timeout, resent: earlier > 0 }) })
