import type { VirtualNode, VirtualWorld } from '@stead/world'
import type { Controller } from '../controllers/index.ts'
import { shardLease, shardOf } from '../controllers/shards.ts'
import { type Ref, refKey } from '../words/object.ts'
import type { Cluster, NodeProgram } from './cluster.ts'
import type { Synced } from './database.ts'
import { interferencePrefix } from './interference.ts'
import type { Ledger } from './ledger.ts'
import type { Trace } from './trace.ts'
import type { EngineInvariant, Watch } from './violations.ts'

export interface EngineWatchOptions {
  readonly world: VirtualWorld
  readonly cluster: Cluster
  readonly ledger: Ledger
  readonly trace: Trace
  readonly violations: Watch<EngineInvariant>
}

/** A node more than 5 s behind is not ready; here is some time in which to notice. */
const readyWithin = 6_000

/** Watches the engine from outside, whatever it is used for. */
export class EngineWatch {
  readonly #options: EngineWatchOptions
  /** Change-sets that did not come from a controller: they need no fence. */
  readonly #fromOutside = new Set<string>()
  readonly #running = new Set<string>()
  /** When each revision was committed; revision n is at n - 1. */
  readonly #committedAt: number[] = []

  constructor(options: EngineWatchOptions) {
    this.#options = options
    options.cluster.database.listeners.add(batch => this.#synced(batch))
  }

  fromOutside(changeSetId: string): void {
    this.#fromOutside.add(changeSetId)
  }

  /** Whether the node holds the key's shard now, by the database. */
  holds(node: VirtualNode, ref: Ref): boolean {
    return this.#options.cluster.database.holderOf(shardLease(shardOf(ref))) === node.name
  }

  /** The same controller, watched: a key runs once at a time, where its shard is held, on what was done before. */
  watched(controller: Controller, node: VirtualNode): Controller {
    const { violations, trace, ledger } = this.#options
    return {
      ...controller,
      reconcile: async (object, context) => {
        const run = `${node.name} ${controller.name} ${object.id}`
        const taken = ledger.headWhenTaken(shardLease(shardOf(object)))
        const { revision } = context.cache
        violations.check(!this.#running.has(run), 'one run per key', () => `${run} runs twice at once`)
        violations.check(this.holds(node, object), 'one run per key', () => `${run} runs without its shard`)
        violations.check(revision >= taken, 'a new holder has read all', () => `${run} is at ${revision}, not ${taken}`)
        trace.add(node.name, `reconciles ${refKey(object)}@${object.revision}`)
        this.#running.add(run)
        try {
          return await controller.reconcile(object, context)
        } finally {
          this.#running.delete(run)
        }
      },
    }
  }

  /** What can go wrong without anything happening. */
  eachSecond(): void {
    const { world, cluster } = this.#options
    const held = cluster.database.leasesHeld()
    for (const { name, world: node, program } of cluster.nodes) {
      if (!program || node.stalledUntil > world.time) continue
      this.#checkReadiness(name, program)
      this.#checkShards(name, program, held)
    }
  }

  #synced(batch: readonly Synced[]): void {
    const { world, ledger } = this.#options
    while (this.#committedAt.length < ledger.head) this.#committedAt.push(world.time)
    for (const each of batch) this.#checkFence(each)
  }

  #checkFence({ set, applied }: Synced): void {
    if ('conflict' in applied || applied.changes.length === 0) return
    if (this.#fromOutside.has(set.id) || set.id.startsWith(interferencePrefix)) return
    const isFenced = set.expect.some(expectation => expectation.type === 'fence')
    this.#options.violations.check(isFenced, 'I6 a fenced-out write never lands', () => `${set.id} carries no fence`)
  }

  #checkReadiness(name: string, { engine }: NodeProgram): void {
    if (!engine.ready().ready) return
    const { world, violations } = this.#options
    const { revision } = engine.cache
    const missing = this.#committedAt[revision]
    const isOld = missing !== undefined && world.time - missing > readyWithin
    violations.check(!isOld, 'ready is current', () => `${name} reads at ${revision}`)
  }

  #checkShards(name: string, { engine }: NodeProgram, held: ReadonlyMap<string, string>): void {
    const { violations } = this.#options
    const lost = engine
      .shards()
      .map(shardLease)
      .filter(lease => held.get(lease) !== name)
    const invariant = 'a lease lasts as long as it is believed in'
    violations.check(lost.length === 0, invariant, () => `${name} believes to hold ${lost.join(', ')}`)
  }
}
