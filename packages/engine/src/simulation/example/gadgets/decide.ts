import type { Widget } from '../widgets/model.ts'
import type { Gadget } from './model.ts'

/** Everything the decision may depend on. */
export interface GadgetView {
  readonly gadget: Gadget
  readonly widgets: readonly Widget[]
}

export type GadgetAction =
  | { readonly type: 'add'; readonly slot: number }
  | { readonly type: 'dismiss'; readonly widget: Widget }
  | { readonly type: 'report'; readonly ready: number; readonly observedGeneration: number }
  | { readonly type: 'forget' }

/**
 * A gadget has one widget in each of its slots. A slot is free again only when the widget before is gone.
 * One kind of step at a time: what was written is read again before the next.
 */
export function decide({ gadget, widgets }: GadgetView): readonly GadgetAction[] {
  const staying = widgets.filter(widget => widget.deletedAt === undefined)
  if (gadget.deletedAt !== undefined) return widgets.length === 0 ? [{ type: 'forget' }] : staying.map(dismiss)

  const unfit = staying.filter(widget => !fits(widget, gadget))
  if (unfit.length > 0) return unfit.map(dismiss)

  const ready = staying.filter(widget => widget.status.phase === 'made').length
  const { status, generation } = gadget
  if (status.ready !== ready || status.observedGeneration !== generation)
    return [{ type: 'report', ready, observedGeneration: generation }]

  const taken = new Set(widgets.map(widget => widget.spec.slot))
  return slotsOf(gadget).flatMap(slot => (taken.has(slot) ? [] : [{ type: 'add', slot }]))
}

const slotsOf = ({ spec }: Gadget) => Array.from({ length: spec.widgets }, (_, slot) => slot)

/** Color cannot be changed outside: another color is another widget. */
const fits = (widget: Widget, { spec }: Gadget) => widget.spec.slot < spec.widgets && widget.spec.color === spec.color

const dismiss = (widget: Widget): GadgetAction => ({ type: 'dismiss', widget })
