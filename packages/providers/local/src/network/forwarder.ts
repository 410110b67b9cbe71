import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { PortProtocol } from '@stead/provider-kit'
import type { Relay } from './relay-client.ts'

/** A declared port of a service, and where it can be reached. */
export interface PortState {
  readonly service: string
  readonly name: string
  readonly protocol: PortProtocol
  readonly public: boolean
  /** Where the service listens, in its own network. */
  readonly inner: number
  /** Where it is reached on the region's address; null before it was ever opened. */
  readonly outer: number | null
}

/** Listens on the region's address for the declared ports of one instance, and for nothing else. */
export class Forwarder {
  readonly #address: string
  readonly #forbidden: readonly number[]
  readonly #relay: Relay
  readonly #open: Server[] = []

  /** `forbidden`: ports that are somebody's who may not be listening just now. */
  constructor(address: string, forbidden: readonly number[], relay: Relay) {
    this.#address = address
    this.#forbidden = forbidden
    this.#relay = relay
  }

  /** Opens them all. A port that another program has taken meanwhile moves. */
  async open(ports: readonly PortState[]): Promise<PortState[]> {
    return Promise.all(ports.map(async port => ({ ...port, outer: await this.#listen(port) })))
  }

  close(): void {
    for (const each of this.#open.splice(0)) each.close()
  }

  async #listen(port: PortState): Promise<number> {
    const wanted = port.outer !== null && !this.#forbidden.includes(port.outer) ? port.outer : 0
    try {
      return await this.#listenOn(port, wanted)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      return this.#listenOn(port, 0)
    }
  }

  async #listenOn({ protocol, inner }: Pick<PortState, 'protocol' | 'inner'>, outer: number): Promise<number> {
    if (protocol === 'udp') {
      const socket = createSocket('udp4')
      socket.bind(outer, this.#address)
      await once(socket, 'listening')
      const { port } = socket.address()
      if (this.#forbidden.includes(port)) return this.#another(socket, { protocol, inner })
      // From here on it is the relay's, and closed with it.
      void this.#relay.passDatagrams(socket, inner)
      return port
    }
    const server = createServer({ pauseOnConnect: true }, socket => {
      socket.on('error', () => socket.destroy())
      void this.#relay.passStream(socket, inner)
    })
    server.listen({ port: outer, host: this.#address, exclusive: true })
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    if (this.#forbidden.includes(port)) return this.#another(server, { protocol, inner })
    this.#open.push(server)
    return port
  }

  /** Holds what must not be used while another is chosen, or it would be chosen again. */
  async #another(held: { close(): void }, port: Pick<PortState, 'protocol' | 'inner'>): Promise<number> {
    try {
      return await this.#listenOn(port, 0)
    } finally {
      held.close()
    }
  }
}
