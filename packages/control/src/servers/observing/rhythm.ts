import { type Duration, millis, minutes, seconds } from '@stead/world'

export interface Activity {
  /** Changes are told by a stream; lists only confirm that nothing was missed. */
  readonly streams: boolean
  /** Something is on its way somewhere. */
  readonly moves: boolean
  /** Something is missing or in the way, and has to be looked at again to be believed. */
  readonly doubts: boolean
}

/**
 * How long after one list the next begins. Somebody waits for what moves; what is still costs a call an hour per thousand.
 * A doubt only ever hastens: what moves, or was seen in a picture that may be old, is not looked at later because of it.
 */
export function pauseBetweenLists({ streams, moves, doubts }: Activity): Duration {
  if (moves && !streams) return seconds(2)
  if (doubts) return seconds(20)
  if (streams) return moves ? minutes(1) : minutes(5)
  return seconds(30)
}

/** Up to a fifth shorter: regions that started together do not stay in step. */
export const jittered = (pause: Duration, random: number): Duration => millis(pause * (1 - random / 5))
