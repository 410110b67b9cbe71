import { inspect } from 'node:util'
import { millis, type VirtualNode, type VirtualWorld } from '@stead/world'
import type { Engine } from '../engine.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import type { CommitOptions } from '../words/store.ts'
import { SimulatedDatabase, type SimulatedDatabaseOptions } from './database.ts'
import type { EngineFault } from './engine-faults.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import { SimulatedStore } from './store.ts'
import type { Trace } from './trace.ts'
import type { EngineInvariant, Watch } from './violations.ts'

/** What a node has when it starts: its own clock, its own way to the database, and nothing else. */
export interface NodeContext {
  readonly name: string
  readonly world: VirtualNode
  readonly store: SimulatedStore
  /** Dies right here. */
  readonly die: (why: string) => void
}

/** What runs on a node. */
export interface NodeProgram {
  readonly engine: Engine
  readonly store: SimulatedStore
  /** Commits for somebody outside: without a fence, and seen on this node when it resolves. */
  commit(set: ChangeSet, options?: CommitOptions): Promise<Committed>
}

/** A node that runs, or is on its way up: then it has no program yet. */
export interface RunningNode {
  readonly name: string
  readonly world: VirtualNode
  readonly store?: SimulatedStore
  readonly program?: NodeProgram
}

/** What can be exchanged for something with a bug in it, to see whether it is found. */
export interface ClusterParts {
  readonly Database?: typeof SimulatedDatabase
  readonly Store?: typeof SimulatedStore
  readonly Writer?: NonNullable<SimulatedDatabaseOptions['Writer']>
}

export interface ClusterOptions {
  readonly world: VirtualWorld
  readonly trace: Trace
  readonly faults: Faults<EngineFault>
  readonly violations: Watch<EngineInvariant>
  readonly ledger: Ledger
  readonly size: number
  readonly parts?: ClusterParts
  /** Called anew for each node that starts. */
  readonly boot: (context: NodeContext) => Promise<NodeProgram>
}

type Seat = { -readonly [Key in keyof RunningNode]: RunningNode[Key] }

/** A database and nodes on it, in one virtual world. Nodes that die are replaced. */
export class Cluster {
  readonly database: SimulatedDatabase
  readonly #options: ClusterOptions
  readonly #seats: Seat[] = []
  readonly #starts: number[] = []

  constructor(options: ClusterOptions) {
    this.#options = options
    const { Database = SimulatedDatabase, Writer } = options.parts ?? {}
    this.database = new Database({ ...options, ...(Writer && { Writer }) })
  }

  /** Those that are alive, whether they have started yet or not. */
  get nodes(): readonly RunningNode[] {
    return this.#seats.filter(node => node.world.alive)
  }

  start(): void {
    for (let seat = 0; seat < this.#options.size; seat++) this.#start(seat)
  }

  /** The process is gone, with everything in its memory. Another one starts after a while. */
  kill(node: RunningNode, why: string): void {
    const { world, trace } = this.#options
    if (!node.world.alive) return
    trace.add(node.name, `dies (${why})`)
    node.world.kill()
    node.store?.abandon()
    const seat = this.#seats.indexOf(node)
    world.setTimer(millis(100 + 5_000 * world.chance.next() ** 2), () => this.#start(seat))
  }

  close(): void {
    for (const node of this.nodes) node.world.kill()
    this.database.close()
  }

  #start(seat: number): void {
    const { world, trace, violations } = this.#options
    const count = (this.#starts[seat] ?? 0) + 1
    this.#starts[seat] = count
    const name = `node-${seat}.${count}`
    // Wall clocks of real machines are off by some seconds at times; nothing may depend on them.
    const skew = millis(Math.round(8_000 * (world.chance.next() - 0.5)))
    const node: Seat = { name, world: world.node({ name, skew }) }
    this.#seats[seat] = node
    trace.add(name, 'starts')
    this.#boot(node).catch(error => violations.add('no bug surfaces', `${name} did not start: ${inspect(error)}`))
  }

  async #boot(node: Seat): Promise<void> {
    const { trace, boot, parts } = this.#options
    const { name, world } = node
    const die = (why: string) => this.kill(node, why)
    const Store = parts?.Store ?? SimulatedStore
    const store = await Store.open({ ...this.#options, node: world, database: this.database, die })
    node.store = store
    node.program = await boot({ name, world, store, die })
    trace.add(name, 'is up')
  }
}
