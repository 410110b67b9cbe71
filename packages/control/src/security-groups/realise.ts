import { isDeepStrictEqual } from 'node:util'
import { canonicalJson, type View, type Wake } from '@stead/engine'
import type {
  SecurityGroupInfo as Info,
  SecurityGroups,
  SecurityRule,
  SecurityGroupSpec as Spec,
} from '@stead/provider-kit'
import { Network } from '../networks/model.ts'
import type { RealisedKind } from '../realised/kind.ts'
import { type Part, type Whole, whole } from '../teardown/model.ts'
import { ruleForProvider, SecurityGroup, securityGroupName } from './model.ts'

/** A group with what must be gone before it: whatever has it. */
export const securityGroupWhole = (parts: readonly Part[]): Whole =>
  whole<SecurityGroup>(SecurityGroup.kind, {
    parts,
    keys: ({ projectId, name }) => [securityGroupName(projectId!, name!)],
  })

const networkOf = ({ spec }: SecurityGroup, everything: View): Network | undefined =>
  everything.get<Network>(Network.kind, spec.network)

const groupsOf = (everything: View, network: string) =>
  everything.list<SecurityGroup>({ kind: SecurityGroup.kind, owner: { kind: Network.kind, id: network } }).items

/** A network that gets ready wakes the groups that wait for it. */
const networkWake: Wake = {
  kind: Network.kind,
  keys({ object, previous }, { cache }) {
    const [now, before] = [object, previous].map(network => (network as Network | undefined)?.status.state)
    return now === before ? [] : groupsOf(cache, object.id).map(({ id }) => id)
  },
}

/** How security groups exist in regions: made without rules, which let nothing through, and then given theirs. */
export const realisedSecurityGroups = (of: Whole): RealisedKind<SecurityGroup, Spec, Info, SecurityGroups> => ({
  whole: of,
  group: () => 'securityGroups',
  collection: ({ securityGroups }) => securityGroups,
  regionOf: (group, everything) => networkOf(group, everything)?.spec.region,
  inRegion: (everything, regionId) =>
    everything
      .list<Network>({ kind: Network.kind, index: { name: 'region', key: regionId } })
      .items.flatMap(({ id }) => groupsOf(everything, id)),
  needs(group, everything) {
    const network = networkOf(group, everything)
    return network?.status.state === 'ready' ? undefined : `waits for network ${network?.name ?? group.spec.network}`
  },
  wakes: [networkWake],
  specOf: (group, everything) => ({ network: networkOf(group, everything)!.status.backendId!, rules: [] }),
  update: {
    isCurrent: ({ spec }, { rules }) =>
      isDeepStrictEqual(comparable(spec.rules.map(ruleForProvider)), comparable(rules)),
    apply: (groups, { spec }, { id, signal }) => groups.setRules(id, spec.rules.map(ruleForProvider), { signal }),
  },
})

/** Rules mean the same in any order: all of them allow. */
const comparable = (rules: readonly SecurityRule[]) =>
  rules
    .map(({ direction, protocol, ports, cidr }) =>
      canonicalJson({ direction, protocol, cidr, ...(ports && { ports: { from: ports.from, to: ports.to } }) }),
    )
    .toSorted()
