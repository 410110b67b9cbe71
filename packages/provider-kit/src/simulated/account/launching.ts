import { ProviderError } from '../../errors.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import { Disk } from '../inside/disk.ts'
import type { SimServer } from '../server/server.ts'
import type { Account } from './account.ts'
import type { Volume } from './resources.ts'

const invalid = (why: string) => new ProviderError('InvalidConfig', why)

/** The disk a server of this spec begins with. Refuses a spec that this cloud cannot make anything of. */
export function firstDisk(account: Account, spec: LaunchSpec): Disk {
  const { source } = spec
  if (source.type === 'machine') {
    if (!account.profile.flavors.some(flavor => flavor.id === source.flavor))
      throw invalid(`there is no flavor ${source.flavor}`)
    return imageDisk(account, source.image)
  }
  if (source.type !== 'services') throw invalid(`this cloud runs no ${source.type}`)
  const mains = Object.values(source.services).filter(service => service.role === 'main')
  if (mains.length !== 1) throw invalid('exactly one service is the main one')
  for (const service of Object.values(source.services))
    if (service.image === '' || service.image.startsWith('missing')) throw invalid(`there is no image ${service.image}`)
  return new Disk()
}

function imageDisk(account: Account, id: string): Disk {
  if (account.profile.images.includes(id)) return new Disk()
  const shelf = account.snapshots.roster.get(id) ? account.snapshots : account.images
  return shelf.usable(id).disk.copy()
}

/** The ids of everything else in the account that a server of this spec uses. */
function uses({ source }: LaunchSpec) {
  if (source.type === 'machine')
    return { network: source.network, groups: source.securityGroups ?? [], volumes: source.volumes ?? [] }
  if (source.type !== 'services') return { network: undefined, groups: [], volumes: [] }
  const volumes = Object.values(source.services).flatMap(service =>
    service.volumes.flatMap(({ volume }) => volume ?? []),
  )
  return { network: source.network, groups: [], volumes: [...new Set(volumes)] }
}

/** Refuses a spec that uses what is not there or taken. What it answers marks all of it as used by a server. */
export function checkUses(account: Account, spec: LaunchSpec): (server: SimServer) => void {
  const { network, groups, volumes } = uses(spec)
  const shared = [
    ...(network === undefined ? [] : [account.networks.usable(network)]),
    ...groups.map(id => account.securityGroups.usable(id)),
  ]
  const attached = volumes.map(id => unattached(account, id))
  return server => {
    for (const resource of [...shared, ...attached]) resource.users.add(server.id)
    for (const volume of attached) account.volumes.changed(volume)
  }
}

function unattached(account: Account, id: string): Volume {
  const volume = account.volumes.usable(id)
  if (volume.users.size === 0) return volume
  throw new ProviderError('Conflict', `${id} is attached to ${[...volume.users].join(', ')}`)
}

/** It uses nothing any more. */
export function release(account: Account, server: SimServer): void {
  const { network, groups, volumes } = uses(server.spec)
  if (network !== undefined) account.networks.roster.get(network)?.users.delete(server.id)
  for (const id of groups) account.securityGroups.roster.get(id)?.users.delete(server.id)
  for (const volume of volumes.flatMap(id => account.volumes.roster.get(id) ?? [])) {
    volume.users.delete(server.id)
    account.volumes.changed(volume)
  }
}
