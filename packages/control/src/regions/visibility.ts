import type { View } from '@stead/engine'
import { lookUp, theOne } from '../door/find.ts'
import type { Caller, Place } from '../identity/caller.ts'
import { Region } from './model.ts'

const platform: Place = { type: 'platform' }

/** Whether an organization may put anything there. */
export const isOpenTo = ({ spec: { organizations } }: Pick<Region, 'spec'>, organizationId: string): boolean =>
  organizations === undefined || organizations.includes(organizationId)

/** Whether a region exists for a caller: one of theirs may use it, or they look after all of them. */
export const isSeenBy = ({ spec: { organizations } }: Pick<Region, 'spec'>, caller: Caller): boolean =>
  organizations === undefined ||
  caller.may('regions:read', platform) ||
  organizations.some(organization => caller.belongsTo(organization))

/** Whether what is kept of a region for its operators may be shown. */
export const isOperator = (caller: Caller): boolean => caller.may('regions:update', platform)

/** The region that an id or a name means in a place. One that its organization may not use does not exist there. */
export function resolveRegion(everything: View, place: Place, text: string): Region {
  const found = lookUp(everything, Region.kind, text).filter(
    region => place.type === 'platform' || isOpenTo(region, place.organizationId),
  )
  return theOne(Region.kind, text, found)
}

/** The region that an id or a name means to a caller, wherever they are. */
export function regionSeenBy(everything: View, caller: Caller, text: string): Region {
  const found = lookUp(everything, Region.kind, text).filter(region => isSeenBy(region, caller))
  return theOne(Region.kind, text, found)
}
