import { type ChangeSet, type Committed, ConflictError, changeSet, type Sealer, type View } from '@stead/engine'
import type { World } from '@stead/world'
import { system } from '../identity/caller.ts'
import type { RegionClients } from './clients.ts'
import { platformDefault, setPlatformDefault } from './default.ts'
import { Region, regionName, unseenStatus } from './model.ts'
import { readNew, sealCredentials } from './write.ts'

/** A region that there could be, found without being asked for. */
export interface FoundRegion {
  readonly name: string
  readonly provider: string
  readonly configuration?: Readonly<Record<string, unknown>>
  readonly credentials?: Readonly<Record<string, unknown>>
}

export interface Registering {
  readonly everything: View
  /** Commits, and resolves once this node reads what was written. */
  readonly commit: (set: ChangeSet) => Promise<Committed>
  readonly clients: RegionClients
  readonly sealer: Sealer
  readonly world: World
}

/**
 * Taken when a found region is registered, and held for ever: nodes that start together register it once, and one that
 * its operator has deleted does not come back with the next start.
 */
const registeredKey = (name: string) => `region-registered/${name}`

/** Registers a region that was found, once in the life of a store. */
export async function registerRegion(
  found: FoundRegion,
  registering: Registering,
): Promise<'registered' | 'known' | 'name taken'> {
  for (;;) {
    try {
      await registering.commit(draftRegion(found, registering))
      return 'registered'
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      const { conflict } = error
      if (conflict.type === 'key') return conflict.key === registeredKey(found.name) ? 'known' : 'name taken'
      // Another node made another region the default meanwhile: it is read now, so the next try does without.
    }
  }
}

function draftRegion({ name, ...spec }: FoundRegion, { everything, clients, sealer, world }: Registering): ChangeSet {
  const { credentials, ...fields } = readNew({ name, spec }, { clients, everything })
  const set = changeSet(world)
  const draft = Region.draft({ world, place: { type: 'platform' }, caller: system, ...fields, status: unseenStatus })
  const region = { ...draft, spec: sealCredentials(set, sealer, { region: draft, spec: draft.spec, credentials }) }
  set.take(registeredKey(name), region.id).create(region).take(regionName(name), region.id)
  if (!platformDefault(everything)) setPlatformDefault(set, everything, { region: region.id, at: world.now() })
  return set
}
