import type { View } from '@stead/engine'
import { lookUp, theOne } from '../door/find.ts'
import type { Request } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { imageIn } from '../regions/catalog/catalog-of.ts'
import type { Offered, OfferedImage } from '../regions/catalog/offered.ts'
import type { Region } from '../regions/model.ts'
import { Image, imagesByBackend, isImageId, showImage } from './model.ts'

/** Something to boot, whoever it belongs to. */
export interface ResolvedImage extends Pick<OfferedImage, 'name' | 'architecture' | 'sizeBytes' | 'minDiskGiB'> {
  /** What the backend is asked for. */
  readonly backendId: string
  /** The project's own image, if it is one: what is made of it keeps it from being deleted. */
  readonly own?: Image
}

export interface ResolveImage extends Pick<Request, 'caller' | 'objects' | 'place'> {
  readonly region: Region
  /** The field that names it, for whoever named one that cannot be had. */
  readonly field: string
  /** What the region offers to everybody. */
  readonly offered: Pick<Offered, 'images'>
}

/**
 * The image that an id or a name means in a project and a region: one of the project's own, else one of everybody's.
 * Refuses one that cannot be booted yet, or any more. What the caller may not read does not exist.
 */
export function resolveImage(text: string, { region, field, offered, ...request }: ResolveImage): ResolvedImage {
  const [own] = ownImages(text, request)
  if (own?.spec.region === region.id) return resolvedOwn(own)
  const everybodys = imageIn(offered, text)
  if (everybodys) {
    const { id: backendId, name, architecture, sizeBytes, minDiskGiB } = everybodys
    return { backendId, name, architecture, sizeBytes, minDiskGiB }
  }
  if (own) throw elsewhere(own, region, field)
  return theOne<never>(Image.kind, text, [])
}

/**
 * The project's own image that a service is made of; undefined when the text is a word of the backend, such as a reference
 * to a registry. What the backend calls an image of another project is no such word: it does not exist here.
 */
export function resolveServiceImage(
  text: string,
  { region, field, everything, ...request }: Omit<ResolveImage, 'offered'> & { readonly everything: View },
): Image | undefined {
  const [own] = ownImages(text, request)
  if (own?.spec.region === region.id) return resolvedOwn(own).own
  if (own) throw elsewhere(own, region, field)
  const somebodys = everything.list<Image>({ kind: Image.kind, index: { name: imagesByBackend.name, key: text } }).items
  if (isImageId(text) || somebodys.length > 0) return theOne<never>(Image.kind, text, [])
  return undefined
}

const elsewhere = (own: Image, region: Region, field: string) =>
  fail('invalid', `the image ${own.name} is in another region than ${region.name}`, {
    errors: [
      { path: field, message: 'is in another region' },
      { path: '/spec/region', message: 'is not the region of the image' },
    ],
  })

function ownImages(text: string, { caller, objects, place }: Pick<Request, 'caller' | 'objects' | 'place'>) {
  return caller.may('images:read', place) ? lookUp(objects as View, Image.kind, text) : []
}

function resolvedOwn(own: Image): ResolvedImage {
  const { state } = showImage(own).status
  if (state === 'pending' || state === 'transferring')
    throw fail('not_ready', `the image ${own.name} is not ready yet: it is ${state}`)
  if (state !== 'ready') throw fail('invalid_state', `the image ${own.name} cannot be used: it is ${state}`)
  return { backendId: own.status.backendId!, name: own.name!, own, ...needsOf(own) }
}

/** What an image of a project asks of what it runs on, whatever became of it. */
export const needsOf = ({ spec, status }: Image): Pick<ResolvedImage, 'architecture' | 'sizeBytes' | 'minDiskGiB'> => ({
  minDiskGiB: 'snapshot' in spec.source ? (spec.source.snapshot.diskGiB ?? null) : null,
  architecture: spec.architecture ?? null,
  sizeBytes: status.staged?.sizeBytes ?? null,
})
