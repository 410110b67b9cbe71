import { type OpenOperation, operations } from '../../operations/model.ts'
import type { Server } from '../../servers/model.ts'
import { known } from '../../servers/simulation/end-state.ts'
import type { ControlStage } from '../../simulation/index.ts'
import type { Effect, Instance, Replacement } from '../model.ts'
import { covers } from '../plan.ts'
import type { InstanceInvariant } from './watchman.ts'

/** What somebody has agreed to, for one generation of an instance. */
interface Agreement {
  readonly generation: number
  readonly effect: Effect
}

/** What nobody has to agree to. */
const mild: Effect = 'restart'

/** Watches whether somebody agreed to whatever is destroyed: by what was sent, and not by what the door made of it. */
export class ConsentWatch {
  readonly #stage: ControlStage<InstanceInvariant>
  /** By the trace of a request, what it allowed. */
  readonly #sent = new Map<string, Effect>()
  readonly #heard = new Set<string>()
  /** By instance, what was agreed to last and is not used up: nothing is destroyed twice for one generation. */
  readonly #agreed = new Map<string, Agreement>()
  /** By instance, the replacement that was under way when it was last looked at. */
  readonly #replacing = new Map<string, Replacement>()
  /** By server, how often it was to be rebuilt. */
  readonly #rebuilds = new Map<string, number>()

  constructor(stage: ControlStage<InstanceInvariant>) {
    this.#stage = stage
  }

  /** Answers the header by which it is seen later what came of a request. */
  sends(allow: string | undefined): string {
    const trace = (this.#sent.size + 1).toString(16).padStart(32, '0')
    this.#sent.set(trace, (allow as Effect | undefined) ?? mild)
    return `00-${trace}-${trace.slice(-16)}-00`
  }

  /** Whether a replacement was under way, as of the last look. */
  wasReplacing({ id }: Instance): boolean {
    return this.#replacing.has(id)
  }

  /** After every commit, of which no two are about the same instance. */
  look(here: readonly Instance[], all: readonly Server[]): void {
    const generations = new Map(here.map(({ id, generation }) => [id, generation]))
    for (const operation of known<OpenOperation>(this.#stage.ledger, operations)) this.#hear(operation, generations)
    for (const instance of here) this.#replaces(instance)
    for (const server of all) this.#rebuilt(server, generations)
  }

  /** An operation that is new was accepted just now, and belongs to the generation that its instance has just now. */
  #hear({ id, spec }: OpenOperation, generations: ReadonlyMap<string, number>): void {
    if (this.#heard.has(id)) return
    this.#heard.add(id)
    const sent = this.#sent.get(spec.traceId ?? '') ?? mild
    const instanceId = spec.subject.id
    const isAllowed = covers(sent, spec.type === 'replace' || spec.type === 'rebuild' ? spec.type : mild)
    this.#check(isAllowed, () => `a ${spec.type} of ${instanceId} was accepted from who allowed a ${sent}`)
    if (!covers(mild, sent)) this.#agreed.set(instanceId, { generation: generations.get(instanceId)!, effect: sent })
  }

  #replaces({ id, generation, status: { replacement } }: Instance): void {
    const before = this.#replacing.get(id)
    if (!replacement) this.#replacing.delete(id)
    else {
      this.#replacing.set(id, replacement)
      const isNew = before?.generation !== replacement.generation || before.since !== replacement.since
      if (isNew) this.#use(id, { generation, effect: 'replace' })
    }
  }

  #rebuilt({ id, owner, spec }: Server, generations: ReadonlyMap<string, number>): void {
    const rebuilds = spec.rebuild?.sequence ?? 0
    const before = this.#rebuilds.get(id) ?? 0
    this.#rebuilds.set(id, rebuilds)
    if (rebuilds > before) this.#use(owner!.id, { generation: generations.get(owner!.id)!, effect: 'rebuild' })
  }

  #use(instanceId: string, { generation, effect }: Agreement): void {
    const agreed = this.#agreed.get(instanceId)
    const isAgreed = agreed?.generation === generation && covers(agreed.effect, effect)
    const to = agreed ? `a ${agreed.effect} of generation ${agreed.generation} was` : 'nothing was'
    this.#check(isAgreed, () => `a ${effect} of ${instanceId} in generation ${generation} begins, and ${to} agreed to`)
    this.#agreed.delete(instanceId)
  }

  #check(holds: boolean, detail: () => string): void {
    this.#stage.violations.check(holds, 'nothing is replaced without consent', detail)
  }
}
