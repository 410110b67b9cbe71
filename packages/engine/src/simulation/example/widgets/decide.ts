import type { Thing } from '../outside/api.ts'
import type { Widget } from './model.ts'

/** Everything the decision may depend on. `thing` is the truth about this attempt, asked for in this very pass. */
export interface WidgetView {
  readonly widget: Widget
  readonly thing: Thing | undefined
}

/** `replace`: clear away what is left of this attempt and write down that the next is on. It makes nothing yet. */
export type WidgetAction = 'make' | 'replace' | 'report-made' | 'clear-away' | 'forget' | 'nothing'

/** A widget is one live thing outside. There is never a second before the first is known to be dead or gone. */
export function decide({ widget, thing }: WidgetView): WidgetAction {
  if (widget.deletedAt !== undefined) return thing ? 'clear-away' : 'forget'
  if (thing?.state === 'dead') return 'replace'
  if (thing) return widget.status.phase === 'made' ? 'nothing' : 'report-made'
  // It existed once and is gone, or it was never made.
  return widget.status.phase === 'making' ? 'make' : 'replace'
}
