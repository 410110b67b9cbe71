import { hasTags, ProviderError, type WatchEvent, type WatchRequest } from '@stead/provider-kit'
import type { Line } from './line.ts'

/** Every change, as the supervisor tells it. */
export async function* watchServers(
  line: Line,
  { tags, after }: WatchRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  signal.throwIfAborted()
  const channel = await line.open({ open: 'watch', ...(after !== undefined && { after }) })
  const queue: WatchEvent[] = []
  let isClosed = false
  let wake = () => {}
  channel.onJson(value => {
    queue.push(value as WatchEvent)
    wake()
  })
  void channel.closed.then(() => {
    isClosed = true
    wake()
  })
  const abort = () => channel.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      const event = queue.shift()
      if (event?.type === 'gone') return yield event
      if (event) {
        const isWanted = event.type !== 'change' || !event.server || hasTags(event.server.tags, tags)
        if (isWanted) yield event
      } else if (isClosed) throw new ProviderError('Unavailable', 'the connection to the supervisor was lost')
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  } finally {
    signal.removeEventListener('abort', abort)
    channel.destroy()
  }
}
