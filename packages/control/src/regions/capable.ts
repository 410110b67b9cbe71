import { type GroupName, groupNames, isProviderError } from '@stead/provider-kit'
import { fail } from '../errors/index.ts'
import type { RegionClients } from './clients.ts'
import type { Region } from './model.ts'

/** What a region lacks that cannot do something, in words. */
const lacking: Partial<Record<GroupName, string>> = {
  networks: 'has no networks of its own',
  securityGroups: 'cannot enforce security groups',
  images: 'takes no images',
  snapshot: 'makes no snapshots',
  volumes: 'has no volumes',
}

/**
 * Refuses what a region cannot do, before anything is written. Of one that nobody has looked at yet, its provider is
 * asked: that connects to the backend and makes nothing there.
 */
export async function assertCan(region: Region, group: GroupName, clients: RegionClients): Promise<void> {
  const { name = region.id, status } = region
  const isSeen = status.health !== 'unknown' || status.capabilities.length > 0 || status.sources.length > 0
  const abilities = isSeen ? status.capabilities : await askedAbilities(region, clients)
  if (abilities.includes(group)) return
  throw fail('unsupported', `the region ${name} ${lacking[group] ?? `has no ${group}`}`)
}

async function askedAbilities(region: Region, clients: RegionClients): Promise<readonly string[]> {
  try {
    const { groups } = (await clients.of(region)).capabilities()
    return groupNames.filter(name => groups[name] !== undefined)
  } catch (error) {
    if (!isProviderError(error)) throw error
    throw fail('unavailable', `the region ${region.name ?? region.id} does not answer yet`, { cause: error })
  }
}
