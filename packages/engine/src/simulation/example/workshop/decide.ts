import type { Thing } from '../outside/api.ts'
import { tokenOf, type Widget } from '../widgets/model.ts'

/** A list may be old, and so may what we know of the widgets. Nothing is done on the word of either alone. */
export interface WorkshopView {
  readonly things: readonly Thing[]
  readonly widgets: readonly Widget[]
}

export interface WorkshopDecision {
  /** Widgets whose own controller should look at the truth. */
  readonly doubtful: readonly Widget[]
  /** Things of widgets we do not know. They go only if it is written down that we gave their widget up. */
  readonly strangers: readonly Thing[]
}

export function decide({ things, widgets }: WorkshopView): WorkshopDecision {
  const live = new Set(things.filter(thing => thing.state === 'live').map(thing => thing.token))
  const known = new Set(widgets.map(widget => widget.id))
  return {
    doubtful: widgets.filter(
      widget => widget.deletedAt === undefined && widget.status.phase === 'made' && !live.has(tokenOf(widget)),
    ),
    strangers: things.filter(thing => !known.has(thing.widgetId)),
  }
}
