import { millis, type World } from '@stead/world'

export interface Followed<T> {
  /** What has come since the last time; 'end' when nothing more ever will. */
  next(): readonly T[] | 'end'
  /** Calls back when there may be more. The answer stops that. */
  onChange(wake: () => void): () => void
}

/**
 * Reads something that grows, from a distance. The reader keeps its own place, so one that is slow costs nobody anything;
 * everything reaches it through its own timers, so one that has died hears nothing more.
 */
export async function* followed<T>(
  source: Followed<T>,
  reader: World,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  let wake = () => {}
  const stopListening = source.onChange(() => wake())
  const stop = () => wake()
  signal?.addEventListener('abort', stop)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const more = source.next()
      if (more === 'end') return
      if (more.length === 0) {
        await new Promise<void>(resolve => (wake = resolve))
        continue
      }
      await reader.sleep(millis(0))
      for (const item of more) {
        signal?.throwIfAborted()
        yield item
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    stopListening()
  }
}
