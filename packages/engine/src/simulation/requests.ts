import { millis, seconds, type VirtualWorld } from '@stead/world'
import type { ChangeSet } from '../words/change-set.ts'
import type { Conflict } from '../words/conflict.ts'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import type { Cluster, NodeProgram, RunningNode } from './cluster.ts'
import type { Trace } from './trace.ts'
import type { EngineInvariant, Watch } from './violations.ts'

/** What somebody outside wants done. */
export interface Request {
  readonly who: string
  readonly what: string
  /** The newest revision the asker knows: no node may answer with less. */
  readonly known: Revision
  /** The change-set it still needs, by what this node reads; none when all is as wanted. */
  changes(program: NodeProgram): ChangeSet | undefined
  /** Whether such a conflict says that an earlier sending was successful. Any other means: try again. */
  isDone(conflict: Conflict): boolean
}

export interface RequestsOptions {
  readonly world: VirtualWorld
  readonly cluster: Cluster
  readonly trace: Trace
  readonly violations: Watch<EngineInvariant>
}

/** Nobody waits longer for an answer before asking elsewhere. */
const patience = seconds(15)

/** The way in: requests from outside, sent to any node that is ready. */
export class Requests {
  readonly #options: RequestsOptions

  constructor(options: RequestsOptions) {
    this.#options = options
  }

  /** Asks one node after the other until one says that it is done; answers the newest revision known then. */
  async insist(request: Request): Promise<Revision> {
    const { world, cluster, trace } = this.#options
    for (;;) {
      const nodes = cluster.nodes.filter(({ program }) => program?.engine.ready().ready)
      const node = nodes[world.chance.below(nodes.length)]
      const revision = node && (await this.#ask(node, request))
      if (revision !== undefined) {
        trace.add(request.who, `${request.what} done at ${revision}`)
        return Math.max(revision, request.known)
      }
      await world.sleep(millis(500 + 500 * world.chance.next()))
    }
  }

  /** The node works on it in its own time: one that stands still does nothing, a dead one never answers. */
  #ask({ world: node, program }: RunningNode, request: Request): Promise<Revision | undefined> {
    const { world, violations } = this.#options
    return new Promise(resolve => {
      const connection = { isOpen: true }
      const giveUp = world.setTimer(patience, () => {
        connection.isOpen = false
        resolve(undefined)
      })
      const reply = (revision: Revision | undefined) =>
        world.setTimer(millis(1), () => {
          giveUp.cancel()
          resolve(revision)
        })
      node.setTimer(millis(1), () => {
        this.#serve(program!, request, connection).then(reply, error => {
          if (!(error instanceof UnavailableError)) violations.add('no bug surfaces', `${request.who}: ${error}`)
          reply(undefined)
        })
      })
    })
  }

  /** Nothing is begun for somebody who has gone: by now they may have asked for something else, elsewhere. */
  async #serve(
    program: NodeProgram,
    request: Request,
    connection: { readonly isOpen: boolean },
  ): Promise<Revision | undefined> {
    const { cache } = program.engine
    const { known, who } = request
    await cache.reached(known)
    const isOld = cache.revision < known
    this.#options.violations.check(!isOld, 'own writes are read', () => `${who} knew ${known}, not ${cache.revision}`)
    if (!connection.isOpen) return undefined
    const set = request.changes(program)
    if (!set) return known
    try {
      return (await program.commit(set)).revision
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      return request.isDone(error.conflict) ? known : undefined
    }
  }
}
