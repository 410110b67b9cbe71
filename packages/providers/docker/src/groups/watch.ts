import { hasTags, type WatchEvent, type WatchRequest } from '@stead/provider-kit'
import type { Servers } from '../server/servers.ts'

/** Every change of the servers with these tags. */
export async function* watchServers(
  servers: Servers,
  { tags, after }: WatchRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const { feed } = servers
  signal.throwIfAborted()
  if (after !== undefined && !feed.after(after)) return yield { type: 'gone' }
  await servers.live()
  let cursor = after ?? feed.cursor
  yield { type: 'open', cursor }
  for (;;) {
    signal.throwIfAborted()
    const changes = feed.after(cursor)
    if (!changes) return yield { type: 'gone' }
    for (const change of changes) {
      cursor = change.cursor
      if (!change.server || hasTags(change.server.tags, tags)) yield change
    }
    if (feed.cursor === cursor) await feed.next(signal)
  }
}
