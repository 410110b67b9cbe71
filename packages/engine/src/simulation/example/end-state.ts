import { canonicalJson, type EncodedChange } from '../../encoding.ts'
import { findCondition } from '../../words/condition.ts'
import type { Ledger } from '../ledger.ts'
import type { GadgetSpec, GadgetStatus } from './gadgets/model.ts'
import type { Things } from './outside/things.ts'
import type { WidgetSpec, WidgetStatus } from './widgets/model.ts'

interface Rest<Status> {
  readonly name?: string
  readonly deletedAt?: number
  readonly owner?: { readonly id: string }
  readonly status: Status
}

interface Known<Spec, Status> extends Rest<Status> {
  readonly id: string
  readonly generation: number
  readonly spec: Spec
}

/** What was read once is read: versions never change, and all of them are looked at after every commit. */
const readAlready = new WeakMap<EncodedChange, Known<unknown, unknown>>()

function read(object: EncodedChange): Known<unknown, unknown> {
  const known = readAlready.get(object)
  if (known) return known
  const { id, generation, spec, rest } = object
  const fresh = { ...(JSON.parse(rest) as Rest<unknown>), id, generation, spec: JSON.parse(spec) as unknown }
  readAlready.set(object, fresh)
  return fresh
}

/** The objects of a kind, as the ledger has them: no cache, no node in between. */
const known = <Spec, Status>({ objects }: Ledger, kind: string) =>
  [...objects.values()].filter(object => object.kind === kind).map(read) as Known<Spec, Status>[]

export const knownGadgets = (ledger: Ledger) => known<GadgetSpec, GadgetStatus>(ledger, 'gadget')
export const knownWidgets = (ledger: Ledger) => known<WidgetSpec, WidgetStatus>(ledger, 'widget')

/** Everything is as it should be and says so; nothing is on its way. What cannot be painted never gets ready. */
export function isSettled(ledger: Ledger, things: Things): boolean {
  const widgets = knownWidgets(ledger)
  const right = knownGadgets(ledger).every(({ id, deletedAt, generation, spec, status }) => {
    const paintable = spec.color !== 'plaid'
    const own = widgets.filter(widget => widget.owner?.id === id)
    const fitting = own.filter(widget => widget.spec.color === spec.color && widget.deletedAt === undefined)
    return (
      deletedAt === undefined &&
      own.length === spec.widgets &&
      fitting.length === spec.widgets &&
      status.observedGeneration === generation &&
      status.ready === (paintable ? spec.widgets : 0)
    )
  })
  const paintable = widgets.filter(widget => widget.spec.color !== 'plaid')
  const ended = widgets.every(widget => (paintable.includes(widget) ? isMade(widget, things) : isParked(widget)))
  return right && ended && things.list().length === paintable.length
}

const isMade = ({ id, status }: Known<WidgetSpec, WidgetStatus>, things: Things) =>
  status.phase === 'made' && things.find(`${id}.${status.attempt}`)?.state === 'live'

const isParked = ({ status }: Known<WidgetSpec, WidgetStatus>) =>
  findCondition(status.conditions, 'Parked')?.status === 'true'

/** What is left in the end, without what may differ: ids, times, revisions, and how often something was tried. */
export function endState(ledger: Ledger, things: Things): string {
  const widgets = knownWidgets(ledger)
  const gadgets = knownGadgets(ledger).map(({ id, name, spec, status }) => ({
    name,
    spec,
    ready: status.ready,
    widgets: widgets
      .filter(widget => widget.owner?.id === id)
      .map(widget => ({
        ...widget.spec,
        phase: widget.status.phase,
        parked: isParked(widget),
        things: things.list().filter(thing => thing.widgetId === widget.id).length,
      }))
      .sort((a, b) => a.slot - b.slot),
  }))
  const counters = [...ledger.counters].map(([counter, { value, limit }]) => ({ counter, value, limit }))
  return canonicalJson({
    gadgets: gadgets.sort((a, b) => (a.name! < b.name! ? -1 : 1)),
    counters: counters.sort((a, b) => (a.counter < b.counter ? -1 : 1)),
    names: [...ledger.keys.keys()].filter(key => key.startsWith('gadget-name/')).sort(),
    slots: [...ledger.keys.keys()].filter(key => key.startsWith('widget-slot/')).length,
    things: things.list().length,
  })
}
