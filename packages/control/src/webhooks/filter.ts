import type { Event } from '../events/model.ts'
import type { EventFilter } from './model.ts'

/** What an event is called to those it is sent to: `instance.Failed`. */
export const typeOf = ({ object, reason }: Pick<Event, 'object' | 'reason'>): string => `${object.kind}.${reason}`

/** Whether a filter asks for an event. */
export function asksFor(
  { types, kinds, labels = {}, phases }: EventFilter,
  { object, reason }: Pick<Event, 'object' | 'reason'>,
): boolean {
  if (types && !types.some(type => isOfType(type, { object, reason }))) return false
  if (kinds && !kinds.includes(object.kind)) return false
  if (phases && !(object.phase !== undefined && phases.includes(object.phase))) return false
  return Object.entries(labels).every(([key, value]) => object.labels?.[key] === value)
}

function isOfType(type: string, { object, reason }: Pick<Event, 'object' | 'reason'>): boolean {
  const [kind, word] = type.split('.')
  return (kind === '*' || kind === object.kind) && (word === '*' || word === reason)
}

/** Whether a filter could ask for events of a kind. */
export const mayAskFor = ({ types, kinds }: EventFilter, kind: string): boolean =>
  (!kinds || kinds.includes(kind)) &&
  (!types || types.some(type => type.startsWith('*.') || type.startsWith(`${kind}.`)))
