import type { FieldError } from '../errors/problem.ts'
import type { OfferedFlavor, OfferedImage } from '../regions/catalog/offered.ts'

const flavorField = '/spec/source/machine/flavor'
const imageField = '/spec/source/machine/image'

/** What of an image matters to a flavor. What nobody says is not held against it. */
export type FittingImage = Pick<OfferedImage, 'architecture' | 'sizeBytes' | 'minDiskGiB'> &
  Partial<Pick<OfferedImage, 'virtualization' | 'gpu'>>

export interface Fitting {
  readonly flavor: OfferedFlavor
  readonly image: FittingImage
  readonly diskGiB?: number | undefined
}

const gib = 2 ** 30

/** The disk that a machine would have; null when that is left to the region. */
export const diskOf = ({ flavor, diskGiB }: Pick<Fitting, 'flavor' | 'diskGiB'>): number | null =>
  diskGiB ?? flavor.diskGiB

/** Why an image cannot run on a flavor. What the backend does not say is not held against it. */
export function misfits({ flavor, image, diskGiB }: Fitting): readonly FieldError[] {
  return [
    ...(flavor.backendId === null ? [{ path: flavorField, message: 'is a size for services, not for machines' }] : []),
    ...architecture(flavor, image),
    ...disk({ flavor, image, diskGiB }),
    ...virtualization(flavor, image),
    ...gpu(flavor, image),
  ]
}

/** Two fields that do not agree are both named. */
const both = (message: string): readonly FieldError[] => [
  { path: flavorField, message },
  { path: imageField, message },
]

function architecture(flavor: OfferedFlavor, image: FittingImage): readonly FieldError[] {
  if (!image.architecture || !flavor.architecture || image.architecture === flavor.architecture) return []
  return both(`the flavor is ${flavor.architecture} and the image ${image.architecture}`)
}

function disk(fitting: Fitting): readonly FieldError[] {
  const { image, diskGiB } = fitting
  const needed = Math.max((image.minDiskGiB ?? 0) * gib, image.sizeBytes ?? 0)
  const there = diskOf(fitting)
  if (there === null || there * gib >= needed) return []
  const message = `a disk of ${there} GiB is too small for the image, which needs ${needed} bytes`
  return diskGiB === undefined ? both(message) : [{ path: '/spec/source/machine/diskGiB', message }]
}

function virtualization(flavor: OfferedFlavor, image: FittingImage): readonly FieldError[] {
  const [has, needs] = [flavor.virtualization, image.virtualization]
  if (!needs || !has || needs === 'any' || has === 'any' || has === needs) return []
  return both(`the image needs a ${needs} flavor, and this one is ${has}`)
}

function gpu(flavor: OfferedFlavor, image: FittingImage): readonly FieldError[] {
  if (!image.gpu) return []
  const { vendor, models } = image.gpu
  const wanted = models.length > 0 ? `${vendor} ${models.join(' or ')}` : vendor
  if (!flavor.gpu) return both(`the image needs a GPU (${wanted}), and the flavor has none`)
  const isRight = flavor.gpu.vendor === vendor && (models.length === 0 || models.includes(flavor.gpu.model))
  return isRight
    ? []
    : both(`the image needs a GPU ${wanted}, and the flavor has ${flavor.gpu.vendor} ${flavor.gpu.model}`)
}
