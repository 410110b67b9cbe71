import { isProviderError } from '@stead/provider-kit'
import { instances } from '../../instances/model.ts'
import { type ReachedServer, reached, type StreamSurroundings } from '../reach.ts'
import { LogBatch } from './lines.ts'
import { type Begun, fromTheFirst, type LogReads } from './log-reads.ts'

export interface InstanceLogOptions extends StreamSurroundings {
  readonly reads: LogReads
}

export interface InstanceLogRequest {
  readonly instanceId: string
  readonly server: ReachedServer
  /** All of them unless said. */
  readonly service: string | undefined
  readonly begun: Begun
  readonly follow: boolean
  /** Something that was printed before what is asked for is lost. */
  readonly isTorn: boolean
  readonly signal: AbortSignal
}

/**
 * What an instance prints, whatever it runs on: when its server is replaced, the log of the next one goes on where that of
 * the one before ended. It ends when the instance is gone, or with what there is when it is not followed.
 */
export async function* instanceLog(options: InstanceLogOptions, request: InstanceLogRequest): AsyncGenerator<LogBatch> {
  const { reads } = options
  const { instanceId, service, follow, signal } = request
  let { begun, isTorn } = request
  let server: ReachedServer | undefined = request.server
  while (server) {
    const asked = { server, service, signal }
    try {
      for await (const batch of follow ? reads.follow(asked, begun) : reads.there(asked, begun.start)) {
        yield isTorn ? torn(server.id, batch) : batch
        isTorn = false
      }
    } catch (error) {
      // It went while it was read: what was not read of it by now never is.
      if (!follow || !isProviderError(error, 'NotFound')) throw error
      isTorn = true
    }
    if (!follow) return
    begun = fromTheFirst
    server = await nextServer(options, { instanceId, before: server.id, signal })
  }
}

const torn = (server: string, { lines: [first, ...rest] }: LogBatch): LogBatch =>
  new LogBatch(server, [{ ...first!, gap: true }, ...rest])

interface Following {
  readonly instanceId: string
  readonly before: string
  readonly signal: AbortSignal
}

/** The server that an instance has after another; undefined once the instance is gone. */
async function nextServer(
  surroundings: StreamSurroundings,
  { instanceId, before, signal }: Following,
): Promise<ReachedServer | undefined> {
  const { cache } = surroundings
  const look = (): ReachedServer | undefined | 'gone' => {
    const instance = cache.platform().get(instances, instanceId)
    if (!instance) return 'gone'
    const server = reached(surroundings, instance)
    return server?.id === before ? undefined : server
  }
  const now = look()
  if (now) return now === 'gone' ? undefined : now
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<ReachedServer | undefined>()
  const stop = cache.onChange(({ changes }) => {
    if (!changes.some(({ object }) => object.id === instanceId || object.owner?.id === instanceId)) return
    const found = look()
    if (found) resolve(found === 'gone' ? undefined : found)
  })
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return promise.finally(() => {
    stop()
    signal.removeEventListener('abort', abort)
  })
}
