import { isProviderError } from '@stead/provider-kit'
import { instances } from '../../instances/model.ts'
import { type ReachedServer, reached, type StreamSurroundings } from '../reach.ts'
import type { LogBatch } from './lines.ts'
import { type Begun, fromTheFirst, type LogReads } from './log-reads.ts'
import { give, type LineSink } from './sink.ts'

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
  readonly sink: LineSink
  /** Something that was printed before what is asked for is lost. */
  readonly isTorn: boolean
  readonly signal: AbortSignal
}

/**
 * Sends what an instance prints, whatever it runs on: when its server is replaced, the log of the next one goes on where that
 * of the one before ended. It ends when the instance is gone, or with what there is when it is not followed.
 */
export async function sendLog(options: InstanceLogOptions, request: InstanceLogRequest): Promise<void> {
  const { reads } = options
  const { instanceId, service, follow, signal, isTorn } = request
  const sink = new TornSink(request.sink, isTorn)
  let { begun } = request
  let server: ReachedServer | undefined = request.server
  while (server) {
    const asked = { server, service, signal }
    if (!follow) {
      for await (const batch of reads.there(asked, begun.start)) await give(sink, batch, signal)
      return
    }
    try {
      await reads.follow(asked, begun, sink)
    } catch (error) {
      // It went while it was read: what was not read of it by now never is.
      if (!isProviderError(error, 'NotFound')) throw error
      sink.isTorn = true
    }
    begun = fromTheFirst
    server = await nextServer(options, { instanceId, before: server.id, signal })
  }
}

/** Where something was lost, the next line says so. */
class TornSink implements LineSink {
  readonly #sink: LineSink
  isTorn: boolean

  constructor(sink: LineSink, isTorn: boolean) {
    this.#sink = sink
    this.isTorn = isTorn
  }

  take(batch: LogBatch): boolean {
    const told = this.isTorn ? batch.torn() : batch
    this.isTorn = false
    return this.#sink.take(told)
  }

  room(): Promise<void> {
    return this.#sink.room()
  }
}

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
