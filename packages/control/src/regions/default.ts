import { type ChangeSetBuilder, kindOf, type ObjectDraft, type StoredObject, type View } from '@stead/engine'
import { fail } from '../errors/index.ts'
import type { Place } from '../identity/caller.ts'
import { Project } from '../projects/model.ts'
import { Region, type RegionSpec, type RegionStatus } from './model.ts'
import { isOpenTo, resolveRegion } from './visibility.ts'

/** What is decided once for the whole platform. There is one such object, so that two who decide at once meet in it. */
export const platformSettings = kindOf<StoredObject<{ readonly defaultRegion?: string }>>('platform-settings')
const theOnly = 'platform'

const settingsOf = (everything: Pick<View, 'get'>) => everything.get(platformSettings, theOnly)

/** Which region is meant on the platform where none is named; one that is gone by now is none. */
export function platformDefault(everything: Pick<View, 'get'>): Region | undefined {
  const id = settingsOf(everything)?.spec.defaultRegion
  return id === undefined ? undefined : everything.get(Region.kind, id)
}

/**
 * Notes that a region is the default, in a change-set that fails if somebody decides otherwise meanwhile. The region itself
 * says so too, so that whoever knows its revision knows whether it is: `moveDefault` and `draftRegion` see to that.
 */
export function becomeDefault(
  set: ChangeSetBuilder,
  everything: Pick<View, 'get'>,
  { id, createdAt }: Pick<Region, 'id' | 'createdAt'>,
): void {
  const settings = settingsOf(everything)
  const spec = { defaultRegion: id }
  if (settings) set.update(settings, { spec })
  else set.create({ kind: platformSettings, id: theOnly, labels: {}, finalizers: [], createdAt, spec, status: {} })
}

/** Makes a region the default in place of the one that was, and answers it as it then is. */
export function moveDefault(
  set: ChangeSetBuilder,
  everything: Pick<View, 'get'>,
  region: Region,
): ObjectDraft<RegionSpec, RegionStatus> {
  const before = platformDefault(everything)
  if (before) {
    const { isDefault: _, ...status } = before.status
    set.update(before, { status })
  }
  const { generation: _generation, revision, ...draft } = region
  const to = { ...draft, status: { ...region.status, isDefault: true } }
  set.expectRevision(region, revision).puts.push(to)
  becomeDefault(set, everything, region)
  return to
}

/** Which region a project means where none is named: its own default, else the platform's if it may use that. */
export function defaultRegionOf(everything: View, project: Project): Region | undefined {
  const organizationId = project.organizationId!
  const own = project.spec.defaultRegion
  const region = own === undefined ? platformDefault(everything) : everything.get(Region.kind, own)
  if (region && isOpenTo(region, organizationId)) return region
  // Another region than the chosen one would be a surprise: whoever chose it is to choose again.
  if (own !== undefined)
    throw fail('invalid_state', 'the default region of this project is gone, or not for its organization any more', {
      suggestion: 'name a region, or set another default for the project',
    })
  return undefined
}

/** The region that a request in a project means: the one it names, else the default. */
export function regionFor(everything: View, place: Place & { type: 'project' }, named: string | undefined): Region {
  if (named !== undefined) return resolveRegion(everything, place, named)
  const project = everything.get(Project.kind, place.projectId)
  const region = project && defaultRegionOf(everything, project)
  if (region) return region
  throw fail('invalid', 'no region is named, and neither the project nor the platform has a default', {
    errors: [{ path: '/spec/region', message: 'is required: there is no default' }],
  })
}
