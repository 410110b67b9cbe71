import { changeSet } from '@stead/engine'
import type { Caller, Place } from '../../identity/caller.ts'
import { covers } from '../../identity/rights.ts'
import { builtInRole } from '../../identity/roles/built-in.ts'
import { Organization } from '../../organizations/model.ts'
import { Project } from '../../projects/model.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { organizationOf, organizations, tenants } from './plan.ts'

/** Somebody who holds one role in one place. */
function holder(name: string, role: string, held: Place): Caller {
  const { permissions } = builtInRole(role)!
  return {
    principalId: `usr_${name}`,
    type: 'user',
    displayName: name,
    credentialId: `tok_${name}`,
    isCurrent: () => true,
    may: (permission, place) => covers(held, place) && permissions.has(permission),
    belongsTo: id => held.type === 'platform' || held.organizationId === id,
  }
}

/** Who does with a project what they like, and nothing outside of it. */
export const tenantCaller = (projectId: string): Caller =>
  holder(projectId, 'project-admin', { type: 'project', organizationId: organizationOf(projectId), projectId })

export const operator: Caller = holder('operator', 'platform-admin', { type: 'platform' })

/** Makes the region and the projects of all tenants. Answers the revision at which they are there. */
export async function settle({ world, requests, setUp }: Pick<ControlStage, 'world' | 'requests' | 'setUp'>) {
  const known = await setUp()
  return requests.insist({
    ...{ who: 'operator', what: 'make the projects', known, isDone: conflict => conflict.type === 'absent' },
    changes() {
      const set = changeSet(world)
      const common = { labels: {}, finalizers: [], createdAt: world.now(), spec: {}, status: {} }
      for (const id of organizations)
        set.create({ ...common, kind: Organization.kind, id, name: id.slice('org_'.length), organizationId: id })
      for (const id of tenants)
        set.create({ ...common, kind: Project.kind, id, name: id, projectId: id, organizationId: organizationOf(id) })
      return set
    },
  })
}
