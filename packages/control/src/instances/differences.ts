import type { Server } from '../servers/model.ts'
import type { Instance } from './model.ts'
import { isApplied, seen } from './project.ts'

/** One thing that is not as it was brought to be, and that nobody here asked for. */
export interface Difference {
  /** `server`: all of it is gone. */
  readonly field: 'server' | 'power' | 'flavor' | 'image' | 'labels'
  readonly wanted: unknown
  readonly found: unknown
}

/** In what the active server of an instance is not what the store has made it. Nothing while something is under way. */
export function differencesOf(
  instance: Pick<Instance, 'spec' | 'status'>,
  active: Pick<Server, 'spec' | 'status' | 'labels'>,
): readonly Difference[] {
  const { observed, lost } = active.status
  if (lost) return [{ field: 'server', wanted: 'there', found: lost.reason }]
  if (!observed || !isApplied(active)) return []
  const { offering } = instance.status
  const { flavor, image, labels } = observed
  return [
    ...powerDifference(instance, active),
    ...(offering && flavor !== undefined && flavor !== offering.flavor
      ? [{ field: 'flavor', wanted: offering.flavor, found: flavor } as const]
      : []),
    ...(offering && image !== undefined && image !== offering.image
      ? [{ field: 'image', wanted: offering.image, found: image } as const]
      : []),
    ...(labels ? [{ field: 'labels', wanted: active.labels, found: labels } as const] : []),
  ]
}

function powerDifference(
  instance: Pick<Instance, 'spec'>,
  active: Pick<Server, 'spec' | 'status'>,
): readonly Difference[] {
  const found = seen(active, instance)
  const { power } = active.spec
  if (power === 'off' && found.type === 'running') return [{ field: 'power', wanted: 'off', found: 'on' }]
  return power === 'on' && found.type === 'down' && found.why === 'died'
    ? [{ field: 'power', wanted: 'on', found: 'off' }]
    : []
}

/** In words for the owner. */
export const tellAll = (differences: readonly Difference[]): string => differences.map(tell).join('; ')

function tell({ field, found }: Difference): string {
  switch (field) {
    case 'server':
      return `what it ran on is gone: ${found}`
    case 'power':
      return found === 'on' ? 'it runs, and should be off' : 'it is off, and should run'
    case 'labels':
      return 'its labels were changed in the region'
    default:
      return `its ${field} is ${found}`
  }
}
