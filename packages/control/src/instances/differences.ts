import { isRefused, isSteady, type Server } from '../servers/model.ts'
import { hasAddresses } from './kept-addresses.ts'
import type { Instance } from './model.ts'
import { seen } from './project.ts'

/** One thing that is not as it was brought to be, and that nobody here asked for. */
export interface Difference {
  /** `server`: all of it is gone. */
  readonly field: 'server' | 'power' | 'flavor' | 'image' | 'labels' | 'addresses'
  readonly wanted: unknown
  readonly found: unknown
}

/** In what the active server of an instance is not what the store has made it. Nothing while something is under way. */
export function differencesOf(
  instance: Pick<Instance, 'spec' | 'status'>,
  active: Pick<Server, 'spec' | 'status' | 'labels' | 'deletedAt'>,
): readonly Difference[] {
  const { observed, lost } = active.status
  if (lost) return [{ field: 'server', wanted: 'there', found: lost.reason }]
  if (!observed || !isSteady(active)) return []
  // What is described is what was refused: only its power is as it was brought to be.
  if (isRefused(active)) return powerDifference(instance, active)
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
    ...addressDifference(instance, active),
    ...(labels ? [{ field: 'labels', wanted: active.labels, found: labels } as const] : []),
  ]
}

/** Those that are kept are the same for as long as they are shown at all. */
function addressDifference(
  { status: { kept } }: Pick<Instance, 'status'>,
  { spec, status: { observed } }: Pick<Server, 'spec' | 'status'>,
): readonly Difference[] {
  if (!kept || !spec.keepsAddresses || !observed || hasAddresses(observed, kept) !== 'others') return []
  const { private: own, public: outside } = observed.addresses
  return [{ field: 'addresses', wanted: kept, found: { private: own, public: outside } }]
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
    case 'addresses':
      return 'it has other addresses than those that it keeps'
    case 'labels':
      return 'its labels were changed in the region'
    default:
      return `its ${field} is ${found}`
  }
}
