import type { Controller, Index, Sealer, Store } from '@stead/engine'
import type { Route } from '../door/route.ts'
import { type RealisedSurroundings, realisedController } from '../realised/controller.ts'
import type { RegionClients } from '../regions/clients.ts'
import { inRegion } from '../regions/whole.ts'
import { securityGroupRoutes } from '../security-groups/api.ts'
import { SecurityGroup } from '../security-groups/model.ts'
import { realisedSecurityGroups, securityGroupWhole } from '../security-groups/realise.ts'
import { sshAuthorityRoutes } from '../ssh-authorities/api.ts'
import { SshAuthority, sshAuthorityWhole } from '../ssh-authorities/model.ts'
import { teardownController } from '../teardown/controller.ts'
import type { Part } from '../teardown/model.ts'
import { inProject, ownedBy } from '../teardown/parts.ts'
import { networkRoutes } from './api.ts'
import { Network, networksByRegion } from './model.ts'
import { networkWhole, realisedNetworks } from './realise.ts'

/** What other rooms attach to these things. It stands in the way of their end, and goes first where `cascade` is said. */
export interface Attached {
  readonly toNetworks: readonly Part[]
  readonly toSecurityGroups: readonly Part[]
  readonly toSshAuthorities: readonly Part[]
}

const own = { blocks: true, end: 'mark' } as const

/** What machines are attached to: networks, security groups and SSH authorities. */
export function networkRoom({ toNetworks, toSecurityGroups, toSshAuthorities }: Attached) {
  const groups = { noun: SecurityGroup.noun, ...own }
  const network = networkWhole([...toNetworks, ownedBy(SecurityGroup.kind, groups)])
  const securityGroup = securityGroupWhole(toSecurityGroups)
  const sshAuthority = sshAuthorityWhole(toSshAuthorities)
  return {
    kinds: [Network, SecurityGroup, SshAuthority],
    indexes: [networksByRegion as Index],
    /** In the order in which they end. */
    inProjects: [
      inProject(SecurityGroup.kind, groups),
      inProject(Network.kind, { noun: Network.noun, ...own }),
      inProject(SshAuthority.kind, { noun: SshAuthority.noun, ...own }),
    ] as readonly Part[],
    inRegions: [inRegion(Network.kind, Network.noun, networksByRegion)] as readonly Part[],
    controllers: (around: RealisedSurroundings): readonly Controller[] => [
      realisedController(realisedNetworks(network), around),
      realisedController(realisedSecurityGroups(securityGroup), around),
      teardownController(sshAuthority, around.tell),
    ],
    routes: ({
      clients,
      sealer,
      store,
    }: {
      clients: RegionClients
      sealer: Sealer
      store: Store
    }): readonly Route[] => [
      ...networkRoutes({ whole: network, clients, store }),
      ...securityGroupRoutes({ whole: securityGroup, clients, store }),
      ...sshAuthorityRoutes({ whole: sshAuthority, sealer, store }),
    ],
  }
}
