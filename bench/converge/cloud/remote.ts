import { once } from 'node:events'
import { connect } from 'node:net'
import {
  type CallOptions,
  type Capabilities,
  type CreateOptions,
  type CreateToken,
  defineProvider,
  type LaunchSpec,
  type Owner,
  type Provider,
  ProviderError,
  type ServerFilter,
  type ServerInfo,
  type StopOptions,
  Type,
  type WatchEvent,
  type WatchRequest,
} from '@stead/provider-kit'
import type { Call, Connected, Reply } from './messages.ts'
import { Wire } from './wire.ts'

type Answered = (reply: Reply) => void
type Unnumbered = Call extends infer Each ? (Each extends Call ? Omit<Each, 'id'> : never) : never

/** The simulated cloud of another process: what it keeps and does weighs nothing here, as with any real one. */
class RemoteCloud implements Provider {
  readonly #wire: Wire<Reply, Call>
  readonly #waiting = new Map<number, Answered>()
  #calls = 0
  #capabilities: Capabilities | undefined

  private constructor(socket: ReturnType<typeof connect>) {
    this.#wire = new Wire<Reply, Call>(socket, reply => this.#waiting.get(reply.id)?.(reply))
    socket.on('error', () => {})
    socket.once('close', () => {
      const error = { code: 'Unavailable', message: 'the connection was closed' } as const
      for (const [id, answered] of this.#waiting) answered({ id, type: 'error', error })
    })
  }

  static async connect(port: number, owner: Owner): Promise<RemoteCloud> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const remote = new RemoteCloud(socket)
    remote.#capabilities = await remote.#ask<Connected>({ type: 'connect', owner })
    return remote
  }

  /** Of what it can do, what is asked of it here. */
  capabilities(): Capabilities {
    const { groups, ...rest } = this.#capabilities!
    return { ...rest, groups: { watch: groups.watch! } }
  }

  catalog(options: CallOptions = {}) {
    return this.#call<Awaited<ReturnType<Provider['catalog']>>>('catalog', [], options)
  }

  launch(spec: LaunchSpec, token: CreateToken, options: CreateOptions = {}): Promise<ServerInfo> {
    return this.#call('launch', [spec, token], options)
  }

  terminate(id: string, options: CallOptions = {}): Promise<void> {
    return this.#call('terminate', [id], options)
  }

  stop(id: string, options: StopOptions = {}): Promise<ServerInfo> {
    return this.#call('stop', [id], options)
  }

  start(id: string, options: CallOptions = {}): Promise<ServerInfo> {
    return this.#call('start', [id], options)
  }

  describe(id: string, options: CallOptions = {}): Promise<ServerInfo> {
    return this.#call('describe', [id], options)
  }

  list(filter: ServerFilter, options: CallOptions = {}): AsyncIterable<readonly ServerInfo[]> {
    return this.#stream('list', [filter], options)
  }

  watch(request: WatchRequest, options: CallOptions = {}): AsyncIterable<WatchEvent> {
    return this.#stream('watch', [request], options)
  }

  async close(): Promise<void> {
    this.#wire.close()
  }

  #call<T>(method: string, args: readonly unknown[], { signal, ...rest }: CallOptions): Promise<T> {
    return this.#ask<T>({ type: 'call', method, args: [...args, rest] }, signal)
  }

  #ask<T>(call: Unnumbered, signal?: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const id = this.#send(call, reply => {
      if (reply.type === 'value') resolve(reply.value as T)
      else if (reply.type === 'error') reject(received(reply))
    })
    const abandon = () => {
      this.#wire.send({ id, type: 'abort' })
      reject(signal!.reason)
    }
    signal?.addEventListener('abort', abandon, { once: true })
    return promise.finally(() => {
      signal?.removeEventListener('abort', abandon)
      this.#waiting.delete(id)
    })
  }

  async *#stream<T>(method: string, args: readonly unknown[], { signal, ...rest }: CallOptions): AsyncGenerator<T> {
    const replies: Reply[] = []
    let wake = () => {}
    const id = this.#send({ type: 'stream', method, args: [...args, rest] }, reply => {
      replies.push(reply)
      wake()
    })
    const abandon = () => wake()
    signal?.addEventListener('abort', abandon, { once: true })
    try {
      for (;;) {
        signal?.throwIfAborted()
        // Taken all at once: shifting them one by one off a long line would take ever longer.
        for (const reply of replies.splice(0)) {
          if (reply.type === 'end') return
          if (reply.type === 'error') throw received(reply)
          if (reply.type === 'item') yield reply.item as T
        }
        if (replies.length > 0 || signal?.aborted) continue
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    } finally {
      signal?.removeEventListener('abort', abandon)
      this.#waiting.delete(id)
      this.#wire.send({ id, type: 'abort' })
    }
  }

  #send(call: Unnumbered, answered: Answered): number {
    const id = ++this.#calls
    this.#waiting.set(id, answered)
    this.#wire.send({ ...call, id } as Call)
    return id
  }
}

function received({ error }: Extract<Reply, { type: 'error' }>): ProviderError {
  const { code, message, retryAfter } = error
  return new ProviderError(code, message, retryAfter === undefined ? {} : { retryAfter })
}

/** The provider of kind `simulated`, on the cloud that listens on this port. */
export const remoteCloud = (port: number) =>
  defineProvider({
    kind: 'simulated',
    configuration: Type.Object({ cloud: Type.String({ default: 'default' }) }),
    credentials: Type.Object({ key: Type.String() }),
    connect: ({ owner }) => RemoteCloud.connect(port, owner),
  })
