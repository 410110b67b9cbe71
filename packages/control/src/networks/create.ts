import type { ChangeSetBuilder, ObjectDraft, StoredObject, View } from '@stead/engine'
import { charge } from '../quotas/charge.ts'
import type { RealisedStatus } from '../realised/model.ts'
import { buildingOn } from '../teardown/building.ts'
import { takeAddresses } from './address-plan.ts'
import { type NetworkSpec, networkName } from './model.ts'

/** What goes with a new network, in the change-set that makes it: its name, its addresses, its charge. */
export function networkBesides(
  set: ChangeSetBuilder,
  everything: View,
  { draft, on }: { readonly draft: ObjectDraft<NetworkSpec, RealisedStatus>; readonly on: readonly StoredObject[] },
): void {
  const { id, organizationId, projectId, name, createdAt } = draft
  buildingOn(set, ...on).take(networkName(projectId!, name!), id)
  takeAddresses(set, everything, draft)
  charge(set, everything, {
    ...{ organization: organizationId!, project: projectId!, for: draft },
    ...{ amounts: { networks: 1 }, at: createdAt },
  })
}
