import { type BaseStatus, kindOf, type RecordDraft, type StoredObject } from '../../../words/index.ts'

export interface WidgetSpec {
  /** Which of its gadget's places it fills. */
  readonly slot: number
  readonly color: string
}

export interface WidgetStatus extends BaseStatus {
  /** `doubtful`: a list says that it is not as it should be, and somebody must look. */
  readonly phase: 'making' | 'made' | 'doubtful'
  /** Counts the things made for it outside, one after the other. Written before the thing is made: it names it. */
  readonly attempt: number
}

export type Widget = StoredObject<WidgetSpec, WidgetStatus>

export const widgets = kindOf<Widget>('widget')

/** Admits one widget per slot of a gadget. */
export const slotKey = (gadgetId: string, slot: number) => `widget-slot/${gadgetId}/${slot}`
/** Counts widgets from create until they are gone. */
export const widgetQuota = 'quota/widgets'
/** Stays until nothing of the widget is left outside. */
export const outsideFinalizer = 'outside'
/** Names the thing outside; asking twice with one token makes one thing. */
export const tokenOf = ({ id, status }: Pick<Widget, 'id' | 'status'>) => `${id}.${status.attempt}`

/** Where it is written, by its id, that a widget was given up on purpose: what still turns up for it may be removed. */
export const tombstones = { table: 'tombstones', scope: 'workshop' } as const
export const tombstone = (widgetId: string): RecordDraft => ({ ...tombstones, subject: widgetId, body: null })
