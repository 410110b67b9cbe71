import type { Socket } from 'node:net'
import { isProviderError, type Provider } from '@stead/provider-kit'
import { type SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import type { World } from '@stead/world'
import type { Call, Reply, WireError } from './messages.ts'
import { Wire } from './wire.ts'

/** Answers one control plane that is connected to the cloud. */
export class Desk {
  readonly #world: World
  readonly #cloud: SimulatedCloud
  readonly #wire: Wire<Call, Reply>
  readonly #underWay = new Map<number, AbortController>()
  #provider: Provider | undefined

  constructor(world: World, cloud: SimulatedCloud, socket: Socket) {
    this.#world = world
    this.#cloud = cloud
    this.#wire = new Wire<Call, Reply>(socket, call => void this.#hear(call))
    socket.on('error', () => {})
    socket.once('close', () => {
      for (const ending of this.#underWay.values()) ending.abort(new Error('whoever asked is gone'))
    })
  }

  async #hear(call: Call): Promise<void> {
    const { id } = call
    if (call.type === 'abort') return this.#underWay.get(id)?.abort(new Error('nobody waits for it any more'))
    const ending = new AbortController()
    this.#underWay.set(id, ending)
    try {
      await this.#answer(call, ending.signal)
    } catch (error) {
      this.#wire.send({ id, type: 'error', error: asSent(error) })
    } finally {
      this.#underWay.delete(id)
    }
  }

  async #answer(call: Exclude<Call, { type: 'abort' }>, signal: AbortSignal): Promise<void> {
    const { id } = call
    if (call.type === 'connect') {
      const credentials = { key: 'simulated' }
      const configuration = { cloud: 'default' }
      const connection = { configuration, credentials, owner: call.owner, world: this.#world }
      this.#provider = await simulatedProvider(() => this.#cloud).connect(connection)
      this.#wire.send({ id, type: 'value', value: this.#provider.capabilities() })
      return
    }
    const provider = this.#provider as unknown as Record<string, (...args: unknown[]) => unknown>
    // The last argument is always the options of the call, and a signal does not travel.
    const args = [...call.args.slice(0, -1), { ...(call.args.at(-1) as object), signal }]
    const answer = provider[call.method]!(...args)
    if (call.type === 'call') {
      this.#wire.send({ id, type: 'value', value: await answer })
      return
    }
    for await (const item of answer as AsyncIterable<unknown>) this.#wire.send({ id, type: 'item', item })
    this.#wire.send({ id, type: 'end' })
  }
}

function asSent(error: unknown): WireError {
  if (!isProviderError(error)) return { code: 'Internal', message: String(error) }
  const { code, message, retryAfter } = error
  return { code, message, ...(retryAfter !== undefined && { retryAfter }) }
}
