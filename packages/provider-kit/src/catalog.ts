import type { ResourceInfo } from './groups/collection.ts'

export type Architecture = 'x86_64' | 'aarch64'
export type Virtualization = 'virtualized' | 'baremetal' | 'any'

/** A size on offer. */
export interface Flavor {
  readonly id: string
  readonly name: string
  readonly architecture: Architecture
  readonly virtualization: Virtualization
  readonly cpuMillis: number
  readonly memoryMiB: number
  /** Bytes of the disk that comes with it; null when the disk is chosen at launch. */
  readonly diskBytes: number | null
  readonly gpu: { readonly vendor: string; readonly model: string; readonly count: number } | null
}

/** Something that can be booted: its id is the word that a launch takes. What the backend does not say is null, never a guess. */
export interface ImageInfo extends ResourceInfo {
  readonly architecture: Architecture | null
  readonly virtualization: Virtualization | null
  readonly sizeBytes: number | null
  /** The smallest disk it fits on. */
  readonly minDiskBytes: number | null
  readonly gpu: { readonly vendor: string; readonly models: readonly string[] } | null
  readonly os: { readonly distribution: string; readonly version: string } | null
}

/** How much the backend has in all and how much is taken, where it says so. */
export interface Capacity {
  readonly servers: { readonly total: number; readonly used: number } | null
  readonly cpuMillis: { readonly total: number; readonly used: number } | null
  readonly memoryMiB: { readonly total: number; readonly used: number } | null
}

/** What a region offers. */
export interface Catalog {
  readonly flavors: readonly Flavor[]
  readonly images: readonly ImageInfo[]
  readonly capacity: Capacity | null
}
