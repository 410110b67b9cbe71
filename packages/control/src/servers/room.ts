import type { Controller, Index, Metrics } from '@stead/engine'
import { type Duration, days } from '@stead/world'
import type { AuditedKind } from '../audit/changes.ts'
import type { Route } from '../door/route.ts'
import type { RegionCatalogs } from '../regions/catalog/catalogs.ts'
import { inRegion } from '../regions/whole.ts'
import type { Part } from '../teardown/model.ts'
import { serverController } from './controller.ts'
import { tombstones } from './ending.ts'
import { serverIndexes, servers, serversByRegion } from './model.ts'
import { regionObserver } from './observing/observer.ts'
import { orphanRoutes } from './orphans/api.ts'
import { Orphan, orphansByRegion } from './orphans/model.ts'
import type { ServerSurroundings } from './reach.ts'

/** What is reported of a region goes with it, and stands in nobody's way. */
const orphanPart: Part = { ...inRegion(Orphan.kind, Orphan.noun, orphansByRegion), blocks: false, end: 'remove' }

interface Options extends ServerSurroundings {
  readonly metrics?: Metrics
}

/** The hidden side of instances: what is launched in regions, and how it is seen there. */
export const serving = {
  inRegions: [inRegion(servers, 'servers', serversByRegion), orphanPart] as readonly Part[],
  indexes: [...serverIndexes, orphansByRegion] as readonly Index[],
  audited: [Orphan] as unknown as readonly AuditedKind[],
  /** Longer than anything is left lying about unseen. */
  retention: { [tombstones.table]: days(90) } as Readonly<Record<string, Duration>>,
  controllers: (options: Options): readonly Controller[] => [serverController(options), regionObserver(options)],
  routes: (options: { readonly catalogs: RegionCatalogs }): readonly Route[] => orphanRoutes(options),
}
