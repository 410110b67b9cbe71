import type { ObjectDraft } from '@stead/engine'
import type { World } from '@stead/world'
import type { Sample } from '../../harness/rounds.ts'
import type { Scratch } from '../../harness/scratch.ts'
import { type Acknowledged, type Contender, keepWriting, type Load } from '../contender.ts'
import { nextStatus, populationSize, Workload } from '../workload.ts'
import { GrpcConnection } from './connection.ts'
import { decodeRevision, encodePut } from './messages.ts'
import { type EtcdServer, startEtcd } from './server.ts'

/** Two were the fastest here: one makes the client wait for the server's reader, more cost etcd context switches. */
const connectionCount = 2

/**
 * etcd on this machine, by its own protocol. A put is one key and one value of the same size as our object: no name
 * key, no counter, no check, no event. There is no `create`: with counters in it, writers of etcd would have to take turns.
 */
export class EtcdContender implements Contender {
  readonly name = 'etcd'
  readonly operations = ['put'] as const
  readonly acknowledged: Acknowledged = { puts: 0, creates: 0 }
  readonly #world: World
  readonly #server: EtcdServer
  readonly #connections: readonly GrpcConnection[]
  readonly #population: readonly ObjectDraft[]

  private constructor(world: World, server: EtcdServer, connections: readonly GrpcConnection[]) {
    this.#world = world
    this.#server = server
    this.#connections = connections
    this.#population = new Workload(world).creations(populationSize).map(({ object }) => object)
  }

  static async start(world: World, scratch: Scratch): Promise<EtcdContender> {
    const server = await startEtcd(world, scratch)
    const connections = Array.from({ length: connectionCount }, () => GrpcConnection.open(server.port))
    return new EtcdContender(world, server, await Promise.all(connections))
  }

  write(load: Load): Promise<Sample> {
    return keepWriting(this.#world, load, place => this.#put(place))
  }

  /** Every put is one revision of etcd's: it must have counted as many as were acknowledged. */
  async close(): Promise<void> {
    const revision = decodeRevision(await this.#connections[0]!.call('/etcdserverpb.KV/Put', encodePut('last', '')))
    for (const connection of this.#connections) connection.close()
    await this.#server.stop()
    const held = revision - 2
    if (held !== this.acknowledged.puts)
      throw new Error(`etcd acknowledged ${this.acknowledged.puts} puts, holds ${held}`)
  }

  async #put(place: number): Promise<void> {
    const object = this.#population[place]!
    const value = JSON.stringify({ ...object, status: nextStatus(object, this.acknowledged.puts) })
    const connection = this.#connections[place % connectionCount]!
    await connection.call('/etcdserverpb.KV/Put', encodePut(`${object.kind}/${object.id}`, value))
    this.acknowledged.puts++
  }
}
