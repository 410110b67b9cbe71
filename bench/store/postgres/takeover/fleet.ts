import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { shardCount } from '@stead/engine'
import { millis, seconds, type World } from '@stead/world'
import type { Sample } from '../../../harness/rounds.ts'
import type { Scratch } from '../../../harness/scratch.ts'
import type { PostgresPlace } from '../../place.ts'
import type { NodeReady, NodeStart } from './node.ts'
import { Witness } from './witness.ts'

const program = fileURLToPath(new URL('node.ts', import.meta.url))
const nodeCount = 3
/** How often a node of the engine renews its leases: a kill may come at any moment between two renewals. */
const usualRenewal = seconds(4)
const patience = seconds(60)

interface FleetOptions {
  readonly world: World
  readonly scratch: Scratch
  /** The engine's own unless said. */
  readonly leases?: NodeStart['leases']
  newPlace(): Promise<PostgresPlace>
}

interface RunningNode extends NodeReady {
  readonly child: ChildProcess
}

/** Nodes that share the shards of one store, and are killed one after the other. */
export class Fleet {
  readonly #options: FleetOptions
  #opened: Promise<{ readonly place: PostgresPlace; readonly witness: Witness }> | undefined
  #nodes: RunningNode[] = []

  constructor(options: FleetOptions) {
    this.#options = options
  }

  /** Kills the oldest node and starts another in its place, as a supervisor would; answers how long its shards lay idle. */
  async kill(): Promise<Sample> {
    const { world, leases } = this.#options
    this.#opened ??= this.#open()
    const { witness } = await this.#opened
    await this.#within(signal => witness.until(() => this.#isShared(witness), signal))
    await world.sleep(millis((leases?.renewEvery ?? usualRenewal) * world.random()))
    const victim = this.#nodes.shift()!
    const shards = witness.signedBy(victim.nodeId)
    const isTaken = (probe: string) => witness.signer(probe) !== victim.nodeId
    const killed = world.monotonic()
    victim.child.kill('SIGKILL')
    const replaced = this.#start()
    await this.#within(signal => witness.until(() => shards.some(isTaken), signal))
    const first = world.monotonic() - killed
    await this.#within(signal => witness.until(() => shards.every(isTaken), signal))
    const every = world.monotonic() - killed
    await replaced
    return { first, every, shards: shards.length }
  }

  async close(): Promise<void> {
    if (!this.#opened) return
    const { witness } = await this.#opened
    await Promise.all(
      this.#nodes.map(async ({ child }) => {
        child.disconnect()
        await once(child, 'exit')
      }),
    )
    await witness.close()
  }

  async #open() {
    const place = await this.#options.newPlace()
    const witness = await Witness.open(this.#options.world, place)
    for (let node = 0; node < nodeCount; node++) await this.#start(place)
    return { place, witness }
  }

  /** Whether every node has its share and has been at work on it. */
  #isShared(witness: Witness): boolean {
    const least = Math.floor(shardCount / nodeCount)
    return this.#nodes.every(({ nodeId }) => witness.signedBy(nodeId).length >= least)
  }

  async #start(place?: PostgresPlace): Promise<void> {
    const { scratch, leases = {} } = this.#options
    const start: NodeStart = { place: place ?? (await this.#opened!).place, leases }
    const child = scratch.adopt(
      spawn(process.execPath, [program, JSON.stringify(start)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    )
    const died = once(child, 'exit').then(() => Promise.reject(new Error('a node ended before it was ready')))
    const [ready] = await Promise.race([once(child, 'message'), died])
    died.catch(() => {})
    this.#nodes.push({ child, nodeId: (ready as NodeReady).nodeId })
  }

  async #within(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const late = new AbortController()
    const timer = this.#options.world.setTimer(patience, () =>
      late.abort(new Error('the nodes did not share the shards')),
    )
    await work(late.signal).finally(() => timer.cancel())
  }
}
