import { type ChangeSet, type Committed, maxObjectBytes } from '@stead/engine'
import { millis, type World } from '@stead/world'
import { fail } from '../errors/index.ts'
import type { DoorEngine } from './engine.ts'
import { type KeyedRequest, keeping, type ReplySealer } from './idempotency.ts'
import { outcomeOf } from './outcome.ts'
import type { Preparation } from './prepared-route.ts'
import { type Reply, routeName } from './route.ts'
import type { Outcome } from './services.ts'
import type { Visit } from './visit.ts'
import type { Witness } from './witness.ts'
import { drawPlaceholder, type WrittenReply, withRevision } from './written-reply.ts'

/** The answer to a concluded request: already written, and stored if it had a key. */
export class ConcludedReply implements Reply {
  readonly status: number
  readonly written: WrittenReply

  constructor(written: WrittenReply) {
    this.status = written.status
    this.written = written
  }
}

export interface ConclusionOptions {
  readonly engine: DoorEngine
  readonly world: World
  readonly sealer: ReplySealer | undefined
  readonly witness: Witness
}

/** What a commit has at least to answer in, however little is left of the request's time. */
const leastCommitTime = millis(250)

/** Commits what handlers decide, with everything that belongs in the same write. */
export class Conclusion {
  readonly #options: ConclusionOptions

  constructor(options: ConclusionOptions) {
    this.#options = options
  }

  /** See `Services.conclude`. */
  async conclude(
    visit: Visit,
    prepared: Preparation,
    keyed: { readonly request: KeyedRequest; readonly takeFrom: string | undefined } | undefined,
    { changeSet, answer }: { readonly changeSet: ChangeSet; readonly answer: (outcome: Outcome) => Reply },
  ): Promise<ConcludedReply> {
    const { engine, world } = this.#options
    if (visit.hasConcluded) throw new Error(`${routeName(visit.route)} concluded twice`)
    const placeholder = drawPlaceholder(world)
    const reply = prepared.write(answer(outcomeOf(changeSet, engine.cache.platform(), placeholder)))
    const witnessed = this.#witnessed(visit, changeSet)
    const whole = keyed
      ? keeping(witnessed, {
          keyed: keyed.request,
          takeFrom: keyed.takeFrom,
          reply,
          placeholder,
          sealer: prepared.answersSecrets ? this.#options.sealer : undefined,
        })
      : witnessed
    const { revision } = await this.#commit(visit, whole)
    visit.hasConcluded = true
    return new ConcludedReply(withRevision(reply, placeholder, revision))
  }

  /** See `Services.commit`. */
  commit(visit: Visit, changeSet: ChangeSet): Promise<Committed> {
    return this.#commit(visit, this.#witnessed(visit, changeSet))
  }

  #witnessed(visit: Visit, changeSet: ChangeSet): ChangeSet {
    const { witness } = this.#options
    return { ...changeSet, records: [...changeSet.records, ...witness.ofChange(visit, changeSet)] }
  }

  /** Commits; resolves once this node reads it, so that whoever was answered sees what they were told. */
  async #commit(visit: Visit, changeSet: ChangeSet): Promise<Committed> {
    const { engine } = this.#options
    if (visit.bodyBytes > maxObjectBytes / 4) refuseTooLarge(changeSet)
    visit.throwIfAborted()
    const timeout = millis(Math.max(leastCommitTime, visit.remaining()))
    return engine.commit(changeSet, { timeout })
  }
}

/** A body that just passes the door's limit can make an object that does not pass the store's. */
function refuseTooLarge({ puts }: ChangeSet): void {
  for (const put of puts) {
    const size = Buffer.byteLength(JSON.stringify(put))
    if (size > maxObjectBytes)
      throw fail('too_large', `the ${put.kind} would be ${size} bytes; at most ${maxObjectBytes} can be stored`)
  }
}
