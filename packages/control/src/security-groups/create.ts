import type { ChangeSetBuilder, ObjectDraft, StoredObject } from '@stead/engine'
import { refOf } from '@stead/engine'
import type { Network } from '../networks/model.ts'
import type { RealisedStatus } from '../realised/model.ts'
import { buildingOn } from '../teardown/building.ts'
import { type SecurityGroupSpec, securityGroupName } from './model.ts'

type Draft = ObjectDraft<SecurityGroupSpec, RealisedStatus>

/** A group belongs to its network: it goes before it. */
export const ofNetwork = (draft: Draft, network: Network): Draft => ({ ...draft, owner: refOf(network) })

/** What goes with a new group, in the change-set that makes it. */
export function securityGroupBesides(
  set: ChangeSetBuilder,
  { draft, on }: { readonly draft: Draft; readonly on: readonly StoredObject[] },
): void {
  buildingOn(set, ...on).take(securityGroupName(draft.projectId!, draft.name!), draft.id)
}
