import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { isProviderError } from '@stead/provider-kit'
import { Channel } from '../wire/channel.ts'
import { decodeJson, type Frame, frameTypes } from '../wire/frames.ts'
import { withShortPath } from '../wire/short-path.ts'
import {
  type CallName,
  type Calls,
  type Hello,
  type Opening,
  protocolVersion,
  type Request,
  type WireError,
} from '../wire/words.ts'
import { exec } from './exec.ts'
import type { Feed } from './feed.ts'
import type { Region } from './region.ts'

export interface ServerOptions {
  readonly region: Region
  readonly feed: Feed
  readonly settings: string
  readonly notes: readonly string[]
  /** Somebody came or went. */
  onClients(count: number): void
  retire(): void
}

/** Answers providers on a socket that only we can open. */
export class SupervisorServer {
  readonly #options: ServerOptions
  readonly #server: Server
  readonly #clients = new Set<Socket>()

  constructor(options: ServerOptions) {
    this.#options = options
    this.#server = createServer({ allowHalfOpen: false }, socket => this.#meet(socket))
  }

  async listen(directory: string, name: string): Promise<void> {
    // Whoever holds the lock of the region is the only one who may listen here.
    rmSync(join(directory, name), { force: true })
    await withShortPath(directory, name, path => once(this.#server.listen(path), 'listening'))
  }

  close(): void {
    this.#server.close()
    for (const client of this.#clients) client.destroy()
  }

  #meet(socket: Socket): void {
    this.#clients.add(socket)
    this.#options.onClients(this.#clients.size)
    socket.once('close', () => {
      this.#clients.delete(socket)
      this.#options.onClients(this.#clients.size)
    })
    const channel = new Channel(socket)
    let serve: ((frame: Frame) => void) | undefined
    channel.onFrame(frame => {
      if (serve) return serve(frame)
      serve = this.#open(channel, decodeJson(frame.payload) as Opening)
    })
  }

  /** What is to be done with the frames that follow. */
  #open(channel: Channel, opening: Opening): (frame: Frame) => void {
    switch (opening.open) {
      case 'calls':
        return ({ type, payload }) => {
          if (type === frameTypes.json) void this.#answer(channel, decodeJson(payload) as Request)
        }
      case 'watch':
        this.#watch(channel, opening.after)
        return () => {}
      case 'exec':
        try {
          return exec(this.#options.region.get(opening.id), opening.request, channel)
        } catch (error) {
          channel.sendJson({ refused: wireError(error) })
          channel.end()
          return () => {}
        }
    }
  }

  async #answer(channel: Channel, { number, call, request }: Request): Promise<void> {
    try {
      const handle = this.#handlers[call] as (request: unknown) => unknown
      channel.sendJson({ number, reply: (await handle(request)) ?? null })
    } catch (error) {
      channel.sendJson({ number, error: wireError(error) })
    }
  }

  #watch(channel: Channel, after: string | undefined): void {
    const { feed } = this.#options
    const missed = after === undefined ? [] : feed.after(after)
    if (!missed) {
      channel.sendJson({ type: 'gone' })
      channel.end()
      return
    }
    channel.sendJson({ type: 'open', cursor: after ?? feed.cursor })
    const tell = ({ number, id, server }: (typeof missed)[number]) =>
      channel.sendJson({ type: 'change', cursor: feed.cursorOf(number), id, server })
    for (const event of missed) tell(event)
    const stop = feed.watch(tell)
    void channel.closed.then(stop)
  }

  get #handlers(): {
    [Call in CallName]: (request: Calls[Call]['request']) => Calls[Call]['reply'] | Promise<Calls[Call]['reply']>
  } {
    const { region, settings, notes, retire } = this.#options
    return {
      hello: (): Hello => ({ pid: process.pid, protocol: protocolVersion, settings, notes }),
      launch: ({ id, spec, fingerprint }) => region.launch(id, spec, fingerprint),
      describe: ({ id }) => region.get(id).info(),
      list: () => region.list(),
      start: async ({ id }) => {
        const instance = region.get(id)
        instance.start()
        await instance.synced
        return instance.info()
      },
      stop: async ({ id, hard }) => {
        const instance = region.get(id)
        void instance.stop(hard)
        await instance.synced
        return instance.info()
      },
      reboot: ({ id, hard, service }) => {
        const instance = region.get(id)
        const rebooting = instance.reboot(hard, service)
        // What it refuses it refuses at once; how it goes on is seen in its state.
        return Promise.race([rebooting, Promise.resolve()]).then(() => instance.info())
      },
      update: ({ id, change }) => region.get(id).update(change),
      terminate: async ({ id }) => {
        await region.terminate(id)
        return null
      },
      capture: async ({ id, image }) => {
        await region.capture(id, image)
        return null
      },
      metrics: ({ ids }) => region.metrics(ids),
      retire: () => {
        retire()
        return null
      },
    }
  }
}

function wireError(error: unknown): WireError {
  if (isProviderError(error)) return { code: error.code, message: error.message, retryAfter: error.retryAfter }
  console.error(error)
  return { code: 'Internal', message: (error as Error).message }
}
