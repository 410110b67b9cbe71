import type { Stage } from '../experiment.ts'
import { knownGadgets, knownWidgets } from './end-state.ts'
import { gadgetQuota, gadgets } from './gadgets/model.ts'
import type { OutsideFault } from './outside/faults.ts'
import type { Effect } from './outside/faulty-outside.ts'
import type { Things } from './outside/things.ts'
import { widgetQuota, widgets } from './widgets/model.ts'
import { workshopId, workshops } from './workshop/model.ts'

/** What must hold of gadgets, widgets and things outside. The numbers are DESIGN's. */
export const exampleInvariants = {
  'I1 one live thing outside per widget': 'two live things outside were made for one widget',
  'I2 nothing outside without an owner': 'a thing outside has had no owner for longer than the grace time',
  'I3 quotas count what there is': 'a quota counter does not say how many there are',
  'I4 what is deleted leaves nothing behind': 'something of a deleted object is still there',
} as const

export type ExampleInvariant = keyof typeof exampleInvariants
export type ExampleStage = Stage<OutsideFault, ExampleInvariant>

/** How long a thing may be without an owner: the workshop is looked over every 10 s, by somebody, whatever goes wrong. */
const graceTime = 240_000

/** Watches the example from outside. */
export class Watchman {
  readonly #stage: ExampleStage
  readonly #things: Things
  readonly #ownerlessSince = new Map<string, number>()

  constructor(stage: ExampleStage, things: Things) {
    this.#stage = stage
    this.#things = things
  }

  /** Something happened outside. */
  tookEffect({ node, what, late }: Effect): void {
    const { world, watch, violations, trace } = this.#stage
    trace.add(node.name, `${what}${late ? ' (late)' : ''}`)
    const [verb, token = ''] = what.split(' ')
    if (verb !== 'make' && verb !== 'remove') return
    const [widgetId = ''] = token.split('.')
    // One that stands still or has died cannot call back what it has sent: tokens and tombstones make that harmless.
    const couldCallBack = !late && node.alive && node.stalledUntil <= world.time
    const mayAct = watch.holds(node, { kind: widgets, id: widgetId }) || watch.holds(node, workshop)
    violations.check(mayAct || !couldCallBack, 'one run per key', () => `${node.name} did ${what} without the shard`)
    const live = this.#things.list().filter(thing => thing.widgetId === widgetId && thing.state === 'live')
    violations.check(live.length <= 1, 'I1 one live thing outside per widget', () => `${widgetId} has ${live.length}`)
  }

  eachSecond(): void {
    const { world, ledger, violations } = this.#stage
    const ownerless = this.#things.list().filter(({ widgetId }) => !ledger.objects.has(`${widgets}/${widgetId}`))
    for (const token of this.#ownerlessSince.keys())
      if (!ownerless.some(thing => thing.token === token)) this.#ownerlessSince.delete(token)
    for (const { token } of ownerless) {
      const since = this.#ownerlessSince.get(token) ?? world.time
      this.#ownerlessSince.set(token, since)
      const inTime = world.time - since < graceTime
      violations.check(inTime, 'I2 nothing outside without an owner', () => `${token} has had none for too long`)
    }
  }

  synced(): void {
    this.#checkCounter(gadgetQuota, knownGadgets(this.#stage.ledger).length)
    this.#checkCounter(widgetQuota, knownWidgets(this.#stage.ledger).length)
    this.#checkLeftovers()
  }

  #checkCounter(counter: string, counted: number): void {
    const { ledger, violations } = this.#stage
    const value = ledger.counters.get(counter)?.value ?? 0
    const wrong = () => `${counter} is ${value}, and there are ${counted}`
    violations.check(value === counted, 'I3 quotas count what there is', wrong)
  }

  /** Keys and widgets go with what they belong to. The request key stays: that is what it is for. */
  #checkLeftovers(): void {
    const { ledger, violations } = this.#stage
    const leftover = 'I4 what is deleted leaves nothing behind'
    for (const [key, holder] of ledger.keys) {
      const kind = key.startsWith('gadget-name/') ? gadgets : widgets
      const belongs = key.startsWith('gadget-request/') || ledger.objects.has(`${kind}/${holder}`)
      violations.check(belongs, leftover, () => `${key} is held by ${holder}, which is gone`)
    }
    for (const { id, owner } of knownWidgets(ledger))
      violations.check(ledger.objects.has(`${gadgets}/${owner?.id}`), leftover, () => `${id} has lost its gadget`)
  }
}

const workshop = { kind: workshops, id: workshopId }
