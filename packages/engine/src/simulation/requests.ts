import { inspect } from 'node:util'
import { millis, seconds, type VirtualWorld } from '@stead/world'
import type { ChangeSet } from '../words/change-set.ts'
import type { Conflict } from '../words/conflict.ts'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import type { Cluster, NodeProgram } from './cluster.ts'
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

/** Something that one node is to do and answer. */
export interface Errand<T> {
  readonly who: string
  /** Undefined: ask again, elsewhere. The signal says that whoever asked has gone. */
  serve(program: NodeProgram, signal: AbortSignal): Promise<T | undefined>
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
    const { who, what, known } = request
    const revision = await this.untilServed({ who, serve: (program, signal) => this.#make(program, request, signal) })
    this.#options.trace.add(who, `${what} done at ${revision}`)
    return Math.max(revision, known)
  }

  /** Asks one node after the other until one answers. */
  async untilServed<T>(errand: Errand<T>): Promise<T> {
    const { world } = this.#options
    for (;;) {
      const answer = await this.#send(errand)
      if (answer !== undefined) return answer
      await world.sleep(millis(500 + 500 * world.chance.next()))
    }
  }

  /** The node works on it in its own time: one that stands still does nothing, a dead one never answers. */
  #send<T>({ who, serve }: Errand<T>): Promise<T | undefined> {
    const { world, cluster, violations } = this.#options
    const nodes = cluster.nodes.filter(({ program }) => program?.engine.ready().ready)
    const node = nodes[world.chance.below(nodes.length)]
    if (!node) return Promise.resolve(undefined)
    return new Promise(resolve => {
      const connection = new AbortController()
      const giveUp = world.setTimer(patience, () => {
        connection.abort()
        resolve(undefined)
      })
      const reply = (answer: T | undefined) =>
        world.setTimer(millis(1), () => {
          giveUp.cancel()
          resolve(answer)
        })
      node.world.setTimer(millis(1), () => {
        // Nothing is begun for somebody who has gone: by now they may have asked for something else, elsewhere.
        if (connection.signal.aborted) return
        serve(node.program!, connection.signal).then(reply, error => {
          if (!(error instanceof UnavailableError)) violations.add('no bug surfaces', `${who}: ${inspect(error)}`)
          reply(undefined)
        })
      })
    })
  }

  async #make(program: NodeProgram, request: Request, signal: AbortSignal): Promise<Revision | undefined> {
    const { cache } = program.engine
    const { known } = request
    await cache.reached(known)
    this.mustKnow(request, cache.revision)
    if (signal.aborted) return undefined
    const set = request.changes(program)
    if (!set) return known
    try {
      return (await program.commit(set)).revision
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      const { conflict } = error
      if (!request.isDone(conflict)) return undefined
      // It was done by an earlier sending: from here on that is known too.
      return conflict.type === 'absent' ? Math.max(known, conflict.actual) : known
    }
  }

  /** Whoever knows a revision is never answered with less. */
  mustKnow({ who, known }: Pick<Request, 'who' | 'known'>, revision: Revision): void {
    this.#options.violations.check(
      revision >= known,
      'own writes are read',
      () => `${who} knew ${known}, not ${revision}`,
    )
  }
}
