import type { ChangeSetBuilder, ObjectDraft, View } from '@stead/engine'
import { charge } from '../quotas/charge.ts'

/** A project counts for its organization for as long as there is anything left of it. */
export function chargeProject(set: ChangeSetBuilder, everything: Pick<View, 'get'>, project: ObjectDraft): void {
  const { organizationId, createdAt } = project
  charge(set, everything, { organization: organizationId!, for: project, amounts: { projects: 1 }, at: createdAt })
}
