import { type Instant, instant } from '@stead/world'
import { kindOf } from '../words/kind.ts'
import type { BaseStatus, ObjectDraft, StoredObject } from '../words/object.ts'

/** A kind of no meaning, for the engine's own tests. */
export interface WidgetSpec {
  readonly size: number
}
export interface WidgetStatus extends BaseStatus {
  readonly size?: number
}
export type Widget = StoredObject<WidgetSpec, WidgetStatus>
export const widgets = kindOf<Widget>('widget')

type Draft = ObjectDraft<WidgetSpec, WidgetStatus>

export function widget(id: string, rest: Partial<Omit<Draft, 'spec'>> & { size?: number } = {}): Draft {
  const { size = 1, ...given } = rest
  return {
    kind: 'widget',
    id,
    labels: {},
    finalizers: [],
    createdAt: instant(1) as Instant,
    status: {},
    ...given,
    spec: { size },
  }
}
