import { type ChangeSet, type Committed, ConflictError, type Sealer, type View } from '@stead/engine'
import { millis, type World } from '@stead/world'
import { lookUp } from '../door/find.ts'
import { system } from '../identity/caller.ts'
import type { RegionClients } from './clients.ts'
import { draftRegion } from './draft.ts'
import { Region } from './model.ts'
import { withDefaults } from './provider-fields.ts'

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
  // Most starts find what the first one registered: that is seen without a commit which would be refused.
  if (lookUp(registering.everything, Region.kind, found.name).some(({ createdBy }) => createdBy === system.principalId))
    return 'known'
  for (;;) {
    try {
      await registering.commit(draftFound(found, registering))
      return 'registered'
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      const { conflict } = error
      if (conflict.type === 'key') return conflict.key === registeredKey(found.name) ? 'known' : 'name taken'
      // Another node made another region the default meanwhile; this one will soon have read it.
      await registering.world.sleep(millis(50))
    }
  }
}

/** A provider finds what fits it: that is not checked again, because to load what checks takes an eighth of a start. */
function draftFound(found: FoundRegion, { everything, clients, sealer, world }: Registering): ChangeSet {
  const { name, provider, credentials = {} } = found
  const configuration = withDefaults(clients.definition(provider)!.configuration, found.configuration ?? {}) as Fields
  const fields = { name, labels: {}, spec: { provider, configuration, mode: 'active' as const }, credentials }
  const { set, region } = draftRegion(fields, { world, everything, sealer, caller: system })
  // First, because a conflict names the first key that is held: who registered it matters more than who has its name.
  set.takes.unshift({ key: registeredKey(name), holder: region.id })
  return set
}

type Fields = Readonly<Record<string, unknown>>
