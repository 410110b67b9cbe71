import { ProviderError } from './errors.ts'

/** The tags on every backend object we made. Nothing is stopped or terminated without them. */
export const ownTags = {
  managedBy: 'stead.managed-by',
  controlPlane: 'stead.control-plane',
  serverId: 'stead.server-id',
  /** On anything but a server: which object of ours it realises. */
  resourceId: 'stead.resource-id',
  regionId: 'stead.region-id',
  /** Whose server it is, and where that lives: how a store that has forgotten it can still say what it was. */
  instanceId: 'stead.instance-id',
  projectId: 'stead.project-id',
} as const

/** What a provider without launch tokens writes beside them, to find again what a create made, and to compare it. */
export const createTags = {
  token: 'stead.token',
  fingerprint: 'stead.fingerprint',
} as const

export const labelTagPrefix = 'stead.label.'

export type Tags = Readonly<Record<string, string>>

/** For whom a provider acts. Given once, when it is connected. */
export interface Owner {
  readonly controlPlane: string
  readonly region: string
}

const manager = 'stead'

/** The tags that prove ownership of anything but a server: a network, a volume, an image. */
export const ownerTags = (owner: Owner): Tags => ({
  [ownTags.managedBy]: manager,
  [ownTags.controlPlane]: owner.controlPlane,
  [ownTags.regionId]: owner.region,
})

/** The tags every server carries. */
export const serverTags = (owner: Owner, serverId: string): Tags => ({
  ...ownerTags(owner),
  [ownTags.serverId]: serverId,
})

/** The tags everything else carries that realises one object of ours: by these it is found again. */
export const resourceTags = (owner: Owner, resourceId: string): Tags => ({
  ...ownerTags(owner),
  [ownTags.resourceId]: resourceId,
})

/** A user's labels, as the tags in which they reach the backend. */
export const labelTags = (labels: Tags): Tags =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [labelTagPrefix + key, value]))

/** The user's labels that are in tags. */
export const labelsIn = (tags: Tags): Tags =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([key, value]) =>
      key.startsWith(labelTagPrefix) ? [[key.slice(labelTagPrefix.length), value]] : [],
    ),
  )

export const isOwned = (tags: Tags, controlPlane: string): boolean =>
  tags[ownTags.managedBy] === manager && tags[ownTags.controlPlane] === controlPlane

/** Refuses what this control plane cannot prove to be its own. Every verb that changes something asks this first. */
export function assertOwned(object: { readonly id: string; readonly tags: Tags }, controlPlane: string): void {
  if (isOwned(object.tags, controlPlane)) return
  const other = object.tags[ownTags.controlPlane]
  const whose = other === undefined ? 'has no owner we know' : `belongs to control plane ${other}`
  throw new ProviderError('Conflict', `${object.id} ${whose}: not touched`)
}
