import { type ChangeSetBuilder, kindOf, type StoredObject, type View } from '@stead/engine'
import { overlap, readCidr } from './cidr.ts'
import { Network } from './model.ts'

/**
 * Which addresses the networks of a project have in one region. Whoever takes or gives back some replaces the version they
 * read, so that of two networks made at once, which overlap, the second meets the first.
 */
export type AddressPlan = StoredObject<{ readonly networks: Readonly<Record<string, string>> }>

export const addressPlans = kindOf<AddressPlan>('address-plan')

type Planned = Pick<Network, 'id' | 'organizationId' | 'projectId' | 'createdAt' | 'spec'>

const planId = ({ projectId, spec: { region } }: Pick<Planned, 'projectId' | 'spec'>): string =>
  `${projectId}.${region}`

const planOf = (everything: Pick<View, 'get'>, network: Planned) => everything.get(addressPlans, planId(network))

/** The network that already has some of these addresses, if there is one. */
export function holderOf(everything: Pick<View, 'get'>, network: Planned): Network | undefined {
  const wanted = readCidr(network.spec.cidr)!
  const taken = Object.entries(planOf(everything, network)?.spec.networks ?? {})
  const found = taken.find(([, cidr]) => overlap(readCidr(cidr)!, wanted))
  return found && everything.get(Network.kind, found[0])
}

/** Takes the addresses of a network, in the change-set that makes it. */
export function takeAddresses(set: ChangeSetBuilder, everything: Pick<View, 'get'>, network: Planned): void {
  const { id, organizationId, projectId, createdAt, spec } = network
  const plan = planOf(everything, network)
  const networks = { ...plan?.spec.networks, [id]: spec.cidr }
  if (plan) set.update(plan, { spec: { networks } })
  else
    set.create({
      ...{ kind: addressPlans, id: planId(network), organizationId: organizationId!, projectId: projectId! },
      ...{ labels: {}, finalizers: [], createdAt, spec: { networks }, status: {} },
    })
}

/** Gives them back, in the change-set that forgets it. The plan goes with its last network. */
export function releaseAddresses(set: ChangeSetBuilder, everything: Pick<View, 'get'>, network: Planned): void {
  const plan = planOf(everything, network)
  if (!plan) return
  const { [network.id]: _, ...networks } = plan.spec.networks
  if (Object.keys(networks).length > 0) set.update(plan, { spec: { networks } })
  else set.remove(plan)
}
