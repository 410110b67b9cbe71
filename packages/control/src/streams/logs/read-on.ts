import { isProviderError, type LogLine } from '@stead/provider-kit'
import { type Duration, millis, seconds, type World } from '@stead/world'

export interface LastingRead {
  readonly world: World
  /** What the server prints from a place on, or from its first line, until it is gone. */
  readonly read: (after: string | undefined, signal: AbortSignal) => AsyncIterable<LogLine>
  /** Where it begins. */
  readonly after: string | undefined
  readonly signal: AbortSignal
}

/** A backend that does not answer for so long is given up: readers come back when they like. */
const patience: Duration = seconds(30)
const firstPause: Duration = millis(100)
const longestPause: Duration = seconds(5)

/** What a server prints until it is gone, however often the way to it breaks. */
export async function* readOn({ world, read, after: start, signal }: LastingRead): AsyncGenerator<LogLine> {
  let after = start
  let failingSince: Duration | undefined
  for (let pause = firstPause; ; pause = millis(Math.min(longestPause, pause * 2))) {
    try {
      for await (const line of read(after, signal)) {
        after = line.cursor
        failingSince = undefined
        pause = firstPause
        yield line
      }
      return
    } catch (error) {
      signal.throwIfAborted()
      if (isProviderError(error, 'NotFound')) return
      failingSince ??= world.monotonic()
      if (!isProviderError(error) || world.monotonic() - failingSince >= patience) throw error
    }
    await world.sleep(pause, signal)
  }
}
