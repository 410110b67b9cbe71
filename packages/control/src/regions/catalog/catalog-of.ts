import type { Capabilities, Capacity, Catalog } from '@stead/provider-kit'
import { type Duration, type Instant, seconds } from '@stead/world'
import { fail, type Problem } from '../../errors/index.ts'
import { codeOf, reasonFor } from '../health/reason.ts'
import type { Region } from '../model.ts'
import type { Answered, LastKnown, RegionCatalogs } from './catalogs.ts'
import { type Offered, type OfferedFlavor, type OfferedImage, offered } from './offered.ts'

/** What a region offers as far as this node knows, and how old that is; or why nothing is known, to be thrown. */
export type CatalogOf =
  | ({
      readonly isKnown: true
      readonly capacity: Capacity | null
      readonly capabilities: Capabilities
      readonly at: Instant
      readonly age: Duration
    } & Offered)
  | { readonly isKnown: false; readonly refusal: Problem }

/** How long a reader waits for a backend that nobody has asked before. */
const firstPatience = seconds(2)

/** The catalog of a region, at once: from memory, never from the backend. */
export const catalogOf = (region: Region, catalogs: RegionCatalogs): CatalogOf =>
  viewOf(region, catalogs.lastKnown(region))

/** As `catalogOf`; where a backend has not been asked before, waits a moment for its first answer. */
export const firstCatalogOf = async (region: Region, catalogs: RegionCatalogs): Promise<CatalogOf> =>
  viewOf(region, await catalogs.firstKnown(region, firstPatience))

function viewOf(region: Region, { answered, error }: LastKnown): CatalogOf {
  if (!answered) return { isKnown: false, refusal: notKnown(region, error) }
  const { catalog, capabilities, at, age } = answered
  return { isKnown: true, ...offeredNow(region, answered), capacity: catalog.capacity, capabilities, at, age }
}

/** Worked out once for each answer and each version of the region: lists are read far more often than they change. */
const workedOut = new WeakMap<Catalog, { readonly generation: number; readonly offered: Offered }>()

function offeredNow({ generation, spec }: Region, answered: Answered): Offered {
  const known = workedOut.get(answered.catalog)
  if (known?.generation === generation) return known.offered
  const now = offered(spec, answered)
  workedOut.set(answered.catalog, { generation, offered: now })
  return now
}

function notKnown({ name }: Region, error: unknown): Problem {
  const why = error === undefined ? 'its backend has not answered yet' : reasonFor(codeOf(error))
  return fail('unavailable', `what the region ${name} offers is not known: ${why}`, {
    retryAfter: seconds(5),
    suggestion: 'try again after the time in Retry-After; the health of the region says what is wrong',
    cause: error,
  })
}

/** The flavor that a text means, by name. */
export const flavorIn = ({ flavors }: Pick<Offered, 'flavors'>, text: string): OfferedFlavor | undefined =>
  flavors.find(({ name }) => name === text)

/** The flavor that something in a region was made of, also when it is no longer offered there. */
export function flavorOnce(region: Region, catalogs: RegionCatalogs, text: string): OfferedFlavor | undefined {
  const { answered } = catalogs.lastKnown(region)
  const said = Object.entries(region.spec.flavors ?? {}).map(([name, { hidden: _, ...saying }]) => [name, saying])
  return answered && flavorIn(offered({ flavors: Object.fromEntries(said) }, answered), text)
}

/** The image of everybody's that a text means: by id, else by name. */
export const imageIn = ({ images }: Pick<Offered, 'images'>, text: string): OfferedImage | undefined =>
  images.find(({ id }) => id === text) ?? images.find(({ name }) => name === text)
