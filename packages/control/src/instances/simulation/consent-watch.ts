import { canonicalJson } from '@stead/engine'
import { type OpenOperation, operations } from '../../operations/model.ts'
import type { Server } from '../../servers/model.ts'
import { known } from '../../servers/simulation/end-state.ts'
import type { ControlStage } from '../../simulation/index.ts'
import type { Effect, Instance, Replacement } from '../model.ts'
import { covers } from '../plan.ts'
import type { InstanceInvariant } from './watchman.ts'

/** What somebody has agreed to, of an instance that is to be this. */
interface Agreement {
  readonly content: string
  readonly effect: Effect
}

/** All that is launched of it. Labels, policies and power are not part of what is agreed to. */
const contentOf = ({ spec: { source, variables, variableValues } }: Instance): string =>
  canonicalJson({ source, variables, variableValues })

/** What nobody has to agree to. */
const mild: Effect = 'restart'

/** Watches whether somebody agreed to whatever is destroyed: by what was sent, and not by what the door made of it. */
export class ConsentWatch {
  readonly #stage: ControlStage<InstanceInvariant>
  /** By the trace of a request, what it allowed. */
  readonly #sent = new Map<string, Effect>()
  readonly #heard = new Set<string>()
  /** By instance, what was agreed to last and is not used up: nothing is destroyed twice for one agreement. */
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
    const byId = new Map(here.map(instance => [instance.id, instance]))
    for (const operation of known<OpenOperation>(this.#stage.ledger, operations)) this.#hear(operation, byId)
    for (const instance of here) this.#replaces(instance)
    for (const server of all) this.#rebuilt(server, byId)
  }

  /** An operation that is new was accepted just now, and belongs to what its instance is to be just now. */
  #hear({ id, spec }: OpenOperation, byId: ReadonlyMap<string, Instance>): void {
    if (this.#heard.has(id)) return
    this.#heard.add(id)
    const sent = this.#sent.get(spec.traceId ?? '') ?? mild
    const instanceId = spec.subject.id
    const isAllowed = covers(sent, spec.type === 'replace' || spec.type === 'rebuild' ? spec.type : mild)
    this.#check(isAllowed, () => `a ${spec.type} of ${instanceId} was accepted from who allowed a ${sent}`)
    if (!covers(mild, sent)) this.#agreed.set(instanceId, { content: contentOf(byId.get(instanceId)!), effect: sent })
  }

  #replaces(instance: Instance): void {
    const { id } = instance
    const { replacement } = instance.status
    const before = this.#replacing.get(id)
    if (!replacement) this.#replacing.delete(id)
    else {
      this.#replacing.set(id, replacement)
      const isNew = before?.generation !== replacement.generation || before.since !== replacement.since
      if (isNew) this.#use(instance, 'replace')
    }
  }

  #rebuilt({ id, owner, spec }: Server, byId: ReadonlyMap<string, Instance>): void {
    const rebuilds = spec.rebuild?.sequence ?? 0
    const before = this.#rebuilds.get(id) ?? 0
    this.#rebuilds.set(id, rebuilds)
    if (rebuilds > before) this.#use(byId.get(owner!.id)!, 'rebuild')
  }

  #use(instance: Instance, effect: Effect): void {
    const agreed = this.#agreed.get(instance.id)
    const content = contentOf(instance)
    const isAgreed = agreed?.content === content && covers(agreed.effect, effect)
    const to = agreed ? `a ${agreed.effect} to ${agreed.content} was` : 'nothing was'
    this.#check(isAgreed, () => `a ${effect} of ${instance.id} to ${content} begins, and ${to} agreed to`)
    this.#agreed.delete(instance.id)
  }

  #check(holds: boolean, detail: () => string): void {
    this.#stage.violations.check(holds, 'nothing is replaced without consent', detail)
  }
}
