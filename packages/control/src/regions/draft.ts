import { type ChangeSetBuilder, changeSet, type ObjectDraft, type Sealer, type View } from '@stead/engine'
import type { World } from '@stead/world'
import type { Caller } from '../identity/caller.ts'
import { becomeDefault, platformDefault } from './default.ts'
import { Region, type RegionSpec, type RegionStatus, regionName, unseenStatus } from './model.ts'
import { type readNew, sealCredentials } from './write.ts'

export interface Drafting {
  readonly world: World
  readonly everything: View
  readonly sealer: Sealer
  readonly caller: Caller
}

/** A new region with the change-set that makes it. The first that every organization may use becomes the default. */
export function draftRegion(
  { credentials, ...fields }: ReturnType<typeof readNew>,
  { world, everything, sealer, caller }: Drafting,
): { readonly set: ChangeSetBuilder; readonly region: ObjectDraft<RegionSpec, RegionStatus> } {
  const set = changeSet(world)
  const isDefault = !fields.spec.organizations && !platformDefault(everything)
  const status = { ...unseenStatus, ...(isDefault && { isDefault }) }
  const draft = Region.draft({ world, place: { type: 'platform' }, caller, ...fields, status })
  const region = { ...draft, spec: sealCredentials(set, sealer, { region: draft, spec: draft.spec, credentials }) }
  set.create(region).take(regionName(fields.name), region.id)
  if (isDefault) becomeDefault(set, everything, region)
  return { set, region }
}
