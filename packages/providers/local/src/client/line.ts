import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { ProviderError, promptly } from '@stead/provider-kit'
import { millis, seconds, type World } from '@stead/world'
import { files } from '../supervisor/files.ts'
import { Channel } from '../wire/channel.ts'
import { withShortPath } from '../wire/short-path.ts'
import {
  type CallName,
  type Calls,
  type Hello,
  type Opening,
  protocolVersion,
  type Reply,
  type SupervisorSettings,
  type WireError,
} from '../wire/words.ts'
import { startSupervisor } from './start-supervisor.ts'

/** How long a supervisor may take to start and answer. */
const patience = seconds(15)

export const errorOf = ({ code, message, retryAfter }: WireError): ProviderError =>
  new ProviderError(code, message, retryAfter === undefined ? {} : { retryAfter: millis(retryAfter) })

interface Connected {
  readonly channel: Channel
  readonly waiting: Map<number, (reply: Reply) => void>
}

/** The way to the supervisor of a region. It is started when there is none, and whenever it is gone. */
export class Line {
  readonly #world: World
  readonly #settings: SupervisorSettings
  #connected: Promise<Connected> | undefined
  #numbers = 0
  #isClosed = false

  constructor(world: World, settings: SupervisorSettings) {
    this.#world = world
    this.#settings = settings
  }

  /** Asks, and stops waiting the moment the signal says so. */
  async call<Call extends CallName>(
    call: Call,
    request: Calls[Call]['request'],
    signal?: AbortSignal,
  ): Promise<Calls[Call]['reply']> {
    signal?.throwIfAborted()
    return promptly(this.#ask(call, request), signal)
  }

  /** A connection of its own, for what comes in streams. */
  async open(opening: Opening): Promise<Channel> {
    await this.#connect()
    const channel = new Channel(await this.#dial())
    channel.sendJson(opening)
    return channel
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const connected = await this.#connected?.catch(() => undefined)
    connected?.channel.destroy()
    await connected?.channel.closed
  }

  async #ask<Call extends CallName>(call: Call, request: Calls[Call]['request']): Promise<Calls[Call]['reply']> {
    return exchange(await this.#connect(), ++this.#numbers, call, request) as Promise<Calls[Call]['reply']>
  }

  #connect(): Promise<Connected> {
    if (this.#isClosed) return Promise.reject(new ProviderError('Unavailable', 'the provider was closed'))
    this.#connected ??= this.#reach().catch(error => {
      this.#connected = undefined
      throw error
    })
    return this.#connected
  }

  async #reach(): Promise<Connected> {
    const settings = JSON.stringify(this.#settings)
    const deadline = this.#world.monotonic() + patience
    for (;;) {
      const connected = this.#attach(await this.#untilAnswered(deadline))
      const hello = (await exchange(connected, ++this.#numbers, 'hello', {
        protocol: protocolVersion,
        settings,
      })) as Hello
      if (hello.protocol === protocolVersion && hello.settings === settings) return connected
      // It was started by another version of us, or for other settings. What it runs goes on without it.
      await exchange(connected, ++this.#numbers, 'retire', {})
      await connected.channel.closed
    }
  }

  async #untilAnswered(deadline: number): Promise<Channel> {
    let lastStart = Number.NEGATIVE_INFINITY
    for (;;) {
      if (!existsSync(this.#settings.directory))
        throw new ProviderError('Unavailable', `${this.#settings.directory}, the directory of the region, is not there`)
      const socket = await this.#dial().catch(() => undefined)
      if (socket) return new Channel(socket)
      const now = this.#world.monotonic()
      if (now > deadline)
        throw new ProviderError(
          'Unavailable',
          `the supervisor does not answer; ${join(this.#settings.directory, files.log)} may say why`,
        )
      // One that was just ending may have held the lock the first time.
      if (now - lastStart > 1_000) {
        startSupervisor(this.#settings)
        lastStart = now
      }
      await this.#world.sleep(millis(10))
    }
  }

  #attach(channel: Channel): Connected {
    const waiting: Connected['waiting'] = new Map()
    channel.sendJson({ open: 'calls' })
    channel.onJson(value => {
      const reply = value as Reply
      waiting.get(reply.number)?.(reply)
      waiting.delete(reply.number)
    })
    void channel.closed.then(() => {
      this.#connected = undefined
      for (const [number, resolve] of waiting) resolve({ number, error: lost })
    })
    return { channel, waiting }
  }

  #dial(): Promise<Socket> {
    return withShortPath(this.#settings.directory, files.socket, async path => {
      const socket = connect(path)
      await once(socket, 'connect')
      return socket
    })
  }
}

async function exchange(connected: Connected, number: number, call: CallName, request: unknown): Promise<unknown> {
  const { channel, waiting } = connected
  if (!channel.isOpen) throw errorOf(lost)
  const reply = await new Promise<Reply>(resolve => {
    waiting.set(number, resolve)
    channel.sendJson({ number, call, request })
  })
  if ('error' in reply) throw errorOf(reply.error)
  return reply.reply
}

const lost: WireError = { code: 'Unavailable', message: 'the connection to the supervisor was lost' }
