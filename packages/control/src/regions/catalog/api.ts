import type { View } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Static, TSchema } from 'typebox'
import { fingerprint, readCursor, writeCursor } from '../../door/cursor.ts'
import { type Route, route } from '../../door/route.ts'
import type { Caller } from '../../identity/caller.ts'
import { Type } from '../../schema/type.ts'
import type { Region } from '../model.ts'
import { regionSeenBy } from '../visibility.ts'
import { firstCatalogOf } from './catalog-of.ts'
import type { RegionCatalogs } from './catalogs.ts'
import { FlavorList, ImageList } from './model.ts'
import type { Offered, OfferedFlavor, OfferedImage } from './offered.ts'

const Query = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 1_024, description: 'The nextCursor of the page before.' })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Only this name, or `prefix*`.' })),
})

/** The images in a region that belong to projects of a caller. */
type OwnImages = (everything: View, caller: Caller, regionId: string) => readonly OwnImage[]

export const catalogRoutes = (catalogs: RegionCatalogs, ownImages: OwnImages): readonly Route[] => [
  listRoute(catalogs, { noun: 'flavors', schema: FlavorList, what: 'sizes', of: ({ flavors }) => flavors.map(flavor) }),
  listRoute(catalogs, {
    ...{ noun: 'images', schema: ImageList },
    what: 'images that the caller may boot: those of everybody, and those of their projects,',
    of: ({ images }, { everything, caller, region }) =>
      [...images.map(image), ...ownImages(everything, caller, region.id).map(ownImage)].sort(byName),
  }),
]

interface Shown {
  readonly metadata: { readonly id: string; readonly name: string }
}

const flavor = ({ name, displayName, labels, deprecated, backendId: _, ...spec }: OfferedFlavor) => ({
  metadata: { id: name, name, displayName, labels },
  spec,
  status: { deprecated },
})

const image = ({ id, name, displayName, labels, deprecated, ...spec }: OfferedImage) => ({
  metadata: { id, name, displayName, labels },
  spec,
  status: { deprecated },
})

/** What is shown of one here; all of it is where it belongs. */
interface OwnImage {
  readonly id: string
  readonly name?: string
  readonly displayName?: string
  readonly projectId?: string
  readonly labels: Readonly<Record<string, string>>
  readonly spec: { readonly architecture?: string }
  readonly status: { readonly staged?: { readonly sizeBytes: number } }
}

const ownImage = ({ id, name, displayName, projectId, labels, spec, status }: OwnImage) => ({
  metadata: { id, name: name!, projectId, labels, ...(displayName !== undefined && { displayName }) },
  spec: {
    ...{ architecture: spec.architecture ?? null, sizeBytes: status.staged?.sizeBytes ?? null },
    ...{ virtualization: null, minDiskGiB: null, gpu: null, os: null },
  },
  status: { deprecated: false },
})

const orderOf = ({ metadata: { name, id } }: Shown) => `${name} ${id}`
const byName = (a: Shown, b: Shown) => (orderOf(a) < orderOf(b) ? -1 : 1)

interface Listed {
  readonly noun: string
  readonly what: string
  readonly schema: TSchema
  readonly of: (
    offered: Offered,
    asked: { readonly everything: View; readonly caller: Caller; readonly region: Region },
  ) => readonly Shown[]
}

const listRoute = (catalogs: RegionCatalogs, { noun, what, schema, of }: Listed): Route =>
  route({
    method: 'GET',
    path: `/v1/regions/:region/${noun}`,
    summary: `List the ${what} in a region`,
    description: 'As the backend last answered; `asOf` says when that was. In order of names.',
    scope: 'platform',
    permission: 'authenticated',
    params: Type.Object({ region: Type.String() }),
    query: Query,
    replies: { 200: schema },
    async handle({ params, caller, query }, { everything }) {
      const region = regionSeenBy(everything, caller, params.region)
      const catalog = await firstCatalogOf(region, catalogs)
      if (!catalog.isKnown) throw catalog.refusal
      const list = fingerprint(noun, region.id, query.name)
      return {
        status: 200,
        body: { ...page(of(catalog, { everything, caller, region }), query, list), asOf: isoTime(catalog.at) },
      }
    },
  })

/** One page. The cursor is a name and an id, so it stays right while others come and go. */
function page(all: readonly Shown[], { limit, cursor, name }: Static<typeof Query>, list: string) {
  const prefix = name?.endsWith('*') ? name.slice(0, -1) : undefined
  const isAsked = ({ metadata }: Shown) =>
    name === undefined || (prefix === undefined ? metadata.name === name : metadata.name.startsWith(prefix))
  const asked = all.filter(isAsked)
  const position = cursor === undefined ? undefined : readCursor(cursor, list)
  const after = position && `${position.key} ${position.id}`
  const left = asked.filter(each => after === undefined || orderOf(each) > after)
  const items = left.slice(0, limit)
  const last = left.length > limit ? items.at(-1)?.metadata : undefined
  return { items, nextCursor: last ? writeCursor({ id: last.id, key: last.name }, list) : null, total: asked.length }
}
