import type { Flavor, ImageInfo } from '@stead/provider-kit'
import type { FieldError } from '../errors/problem.ts'

const flavorField = '/spec/source/machine/flavor'
const imageField = '/spec/source/machine/image'

export interface Fitting {
  readonly flavor: Flavor
  readonly image: ImageInfo
  readonly diskGiB?: number | undefined
}

const gib = 2 ** 30

/** Bytes of the disk that a machine would have; null when that is left to the region. */
export const diskBytes = ({ flavor, diskGiB }: Pick<Fitting, 'flavor' | 'diskGiB'>): number | null =>
  diskGiB === undefined ? flavor.diskBytes : diskGiB * gib

/** Why an image cannot run on a flavor. What the backend does not say is not held against it. */
export function misfits({ flavor, image, diskGiB }: Fitting): readonly FieldError[] {
  return [
    ...(image.state === 'ready' ? [] : [{ path: imageField, message: `the image is ${image.state}, not ready` }]),
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

function architecture(flavor: Flavor, image: ImageInfo): readonly FieldError[] {
  if (image.architecture === null || image.architecture === flavor.architecture) return []
  return both(`the flavor is ${flavor.architecture} and the image ${image.architecture}`)
}

function disk(fitting: Fitting): readonly FieldError[] {
  const { image, diskGiB } = fitting
  const needed = Math.max(image.minDiskBytes ?? 0, image.sizeBytes ?? 0)
  const there = diskBytes(fitting)
  if (there === null || there >= needed) return []
  const message = `a disk of ${there} bytes is too small for the image, which needs ${needed}`
  return diskGiB === undefined ? both(message) : [{ path: '/spec/source/machine/diskGiB', message }]
}

function virtualization(flavor: Flavor, image: ImageInfo): readonly FieldError[] {
  const [has, needs] = [flavor.virtualization, image.virtualization]
  if (needs === null || needs === 'any' || has === 'any' || has === needs) return []
  return both(`the image needs a ${needs} flavor, and this one is ${has}`)
}

function gpu(flavor: Flavor, image: ImageInfo): readonly FieldError[] {
  if (!image.gpu) return []
  const { vendor, models } = image.gpu
  const wanted = models.length > 0 ? `${vendor} ${models.join(' or ')}` : vendor
  if (!flavor.gpu) return both(`the image needs a GPU (${wanted}), and the flavor has none`)
  const isRight = flavor.gpu.vendor === vendor && (models.length === 0 || models.includes(flavor.gpu.model))
  return isRight
    ? []
    : both(`the image needs a GPU ${wanted}, and the flavor has ${flavor.gpu.vendor} ${flavor.gpu.model}`)
}
