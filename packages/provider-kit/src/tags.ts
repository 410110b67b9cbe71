/** The tags on every backend object we made. Nothing is stopped or terminated without them. */
export const ownTags = {
  managedBy: 'stead.managed-by',
  controlPlane: 'stead.control-plane',
  serverId: 'stead.server-id',
  regionId: 'stead.region-id',
} as const

export const labelTagPrefix = 'stead.label.'
