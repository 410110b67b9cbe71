import type { Architecture, Capabilities, Catalog, Flavor, ImageInfo, Virtualization } from '@stead/provider-kit'
import { ownTags } from '@stead/provider-kit'
import type { Region } from '../model.ts'

/** What an operator says of it, as it is shown. */
interface Remarked {
  readonly name: string
  readonly displayName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly deprecated: boolean
}

/** A size that a region offers. */
export interface OfferedFlavor extends Remarked {
  /** What the backend is asked for; null for a size that the operator made up, which a backend takes as numbers. */
  readonly backendId: string | null
  readonly architecture: Architecture | null
  readonly virtualization: Virtualization | null
  readonly cpuMillis: number
  readonly memoryMiB: number
  readonly diskGiB: number | null
  readonly gpu: Flavor['gpu']
}

/** Something to boot that a region offers to everybody. */
export interface OfferedImage extends Remarked {
  /** What the backend is asked for. */
  readonly id: string
  readonly architecture: Architecture | null
  readonly virtualization: Virtualization | null
  readonly sizeBytes: number | null
  readonly minDiskGiB: number | null
  readonly gpu: ImageInfo['gpu']
  readonly os: ImageInfo['os']
}

export interface Offered {
  readonly flavors: readonly OfferedFlavor[]
  readonly images: readonly OfferedImage[]
}

interface Answer {
  readonly catalog: Pick<Catalog, 'flavors' | 'images'>
  readonly capabilities: Pick<Capabilities, 'sources'>
}

type Spec = Pick<Region['spec'], 'flavors' | 'images'>

/** What a region offers: what its backend has, as its operator says it should be offered. In order of names. */
export function offered(spec: Spec, { catalog, capabilities }: Answer): Offered {
  return {
    flavors: offeredFlavors(spec, catalog.flavors, capabilities).sort(byName),
    images: offeredImages(spec, catalog.images).sort(byName),
  }
}

/** Images of one name are in order of their ids. */
const orderOf = ({ name, id = name }: { readonly name: string; readonly id?: string }) => `${name} ${id}`
const byName = <T extends { readonly name: string; readonly id?: string }>(a: T, b: T) =>
  orderOf(a) < orderOf(b) ? -1 : 1

function offeredFlavors({ flavors: said = {} }: Spec, has: readonly Flavor[], { sources }: Answer['capabilities']) {
  const known = new Map(has.flatMap(flavor => [[flavor.name, flavor] as const, [flavor.id, flavor] as const]))
  const own = Object.entries(said).flatMap(([name, saying]): OfferedFlavor[] => {
    const { backend, cpuMillis, memoryMiB, diskGiB = null, gpu = null } = saying
    if (saying.hidden) return []
    const remarked = { name, ...remarks(saying) }
    if (backend !== undefined) {
      const behind = known.get(backend)
      return behind ? [{ ...remarked, ...sizeOf(behind) }] : []
    }
    // A machine is of a size that its backend has; only services take any.
    if (cpuMillis === undefined || memoryMiB === undefined || !sources.some(source => source !== 'machine')) return []
    const anywhere = { backendId: null, architecture: null, virtualization: null }
    return [{ ...remarked, ...anywhere, cpuMillis, memoryMiB, diskGiB, gpu }]
  })
  const replaced = new Set(own.map(({ name }) => name))
  const theirs = has.flatMap((flavor): OfferedFlavor[] => {
    const saying = said[flavor.name] ?? said[flavor.id] ?? {}
    if (saying.hidden || replaced.has(flavor.name)) return []
    return [{ name: flavor.name, ...remarks(saying), ...sizeOf(flavor) }]
  })
  return [...own, ...theirs]
}

const sizeOf = ({ id, architecture, virtualization, cpuMillis, memoryMiB, diskBytes, gpu }: Flavor) => ({
  backendId: id,
  ...{ architecture, virtualization, cpuMillis, memoryMiB, gpu },
  diskGiB: inGiB(diskBytes),
})

/** Images that Stead made belong to somebody: they are offered to whom they belong, by those who keep them. */
const isEverybodys = ({ state, tags }: ImageInfo) => state === 'ready' && tags[ownTags.managedBy] === undefined

function offeredImages({ images: said = {} }: Spec, has: readonly ImageInfo[]): OfferedImage[] {
  return has.filter(isEverybodys).flatMap(image => {
    const { id, name, architecture, virtualization, sizeBytes, minDiskBytes, gpu, os } = image
    const saying = said[name] ?? said[id] ?? {}
    if (saying.hidden) return []
    const rest = { architecture, virtualization, sizeBytes, minDiskGiB: inGiB(minDiskBytes), gpu, os }
    return [{ id, name, ...remarks(saying), ...rest }]
  })
}

interface Saying {
  readonly displayName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly deprecated?: boolean
}

const remarks = ({ displayName, labels = {}, deprecated = false }: Saying) => ({
  labels,
  deprecated,
  ...(displayName !== undefined && { displayName }),
})

/** Whole ones, and never less than there is: it is what quotas count. */
const inGiB = (bytes: number | null) => (bytes === null ? null : Math.ceil(bytes / 2 ** 30))
