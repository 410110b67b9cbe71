import { millis, seconds, type VirtualWorld } from '@stead/world'
import { GoneError, UnavailableError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import type { Revision } from '../words/object.ts'
import type { Cluster, RunningNode } from './cluster.ts'
import type { Ledger } from './ledger.ts'
import type { EngineInvariant, Watch } from './violations.ts'

export interface SubscriberOptions {
  readonly world: VirtualWorld
  readonly cluster: Cluster
  readonly ledger: Ledger
  readonly violations: Watch<EngineInvariant>
}

/** A stretch of watching through one node. What comes after it was given up is not heard any more. */
interface Connection {
  readonly stop: AbortController
  isOpen: boolean
}

/** How long a connection is kept: long enough to see something, short enough for many in a run. */
const longestConnection = 8_000

/** Somebody outside who follows the log, through one node after the other, and must see each revision once. */
export class Subscriber {
  readonly #options: SubscriberOptions
  #position: Revision = 0

  constructor(options: SubscriberOptions) {
    this.#options = options
  }

  get position(): Revision {
    return this.#position
  }

  /** For ever: when a connection breaks, or nothing is heard from the node, another one takes it up where it was. */
  async follow(): Promise<never> {
    const { world, cluster } = this.#options
    for (;;) {
      const nodes = cluster.nodes.filter(({ program }) => program?.engine.ready().ready)
      const node = nodes[world.chance.below(nodes.length)]
      if (node) await this.#connect(node)
      await world.sleep(seconds(1))
    }
  }

  /** Resolves when the connection is over, for whatever reason. */
  #connect(node: RunningNode): Promise<void> {
    const { world, violations } = this.#options
    return new Promise(resolve => {
      const connection: Connection = { stop: new AbortController(), isOpen: true }
      const close = () => {
        if (!connection.isOpen) return
        connection.isOpen = false
        connection.stop.abort()
        resolve()
      }
      world.setTimer(millis(longestConnection * world.chance.next()), close)
      node.world.setTimer(millis(1), () => {
        this.#serve(node, connection)
          .catch(error => {
            if (!(error instanceof UnavailableError)) violations.add('no bug surfaces', `a subscriber met ${error}`)
          })
          .finally(close)
      })
    })
  }

  async #serve({ store }: RunningNode, connection: Connection): Promise<void> {
    try {
      for await (const entries of store!.watch(this.#position, connection.stop.signal)) this.#hear(entries, connection)
    } catch (error) {
      if (!(error instanceof GoneError)) throw error
      // Too far back: everything again, and on from there.
      const { revision } = await store!.snapshot()
      if (connection.isOpen) this.#position = Math.max(this.#position, revision)
    }
  }

  #hear(entries: readonly LogEntry[], connection: Connection): void {
    if (!connection.isOpen) return
    this.#options.ledger.watched(this.#position, entries, 'a subscriber')
    this.#position += entries.length
  }
}
