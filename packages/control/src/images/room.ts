import type { Controller, Index, Store } from '@stead/engine'
import type { Route } from '../door/route.ts'
import { type RealisedSurroundings, realisedController } from '../realised/controller.ts'
import type { RegionClients } from '../regions/clients.ts'
import { inRegion } from '../regions/whole.ts'
import type { Part } from '../teardown/model.ts'
import { inProject } from '../teardown/parts.ts'
import { imageRoutes } from './api.ts'
import type { Fetching } from './fetch.ts'
import { Image, imagesByBackend, imagesByRegion, snapshotsByInstance } from './model.ts'
import { imageWhole, realisedImages } from './realise.ts'

/** Images that projects own: imports and uploads. `ofImages` is what other rooms make of them: it keeps them from ending. */
export function imageRoom({ ofImages }: { readonly ofImages: readonly Part[] }) {
  const image = imageWhole(ofImages)
  return {
    kinds: [Image],
    indexes: [imagesByRegion, imagesByBackend, snapshotsByInstance] as unknown as readonly Index[],
    inProjects: [inProject(Image.kind, { noun: Image.noun, blocks: true, end: 'mark' })] as readonly Part[],
    inRegions: [inRegion(Image.kind, Image.noun, imagesByRegion)] as readonly Part[],
    controllers: (around: RealisedSurroundings, fetching: Fetching): readonly Controller[] => [
      realisedController(realisedImages(image, fetching), around),
    ],
    routes: (around: { clients: RegionClients; store: Store; fetching: Fetching }): readonly Route[] =>
      imageRoutes({ whole: image, ...around }),
  }
}
