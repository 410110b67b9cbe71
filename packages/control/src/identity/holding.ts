import type { View } from '@stead/engine'
import { fail, type Problem } from '../errors/index.ts'
import type { Caller, Place } from './caller.ts'
import type { Held } from './grants/model.ts'
import type { Permission } from './permissions.ts'
import { permissionsOf } from './rights.ts'

/** Some permissions at a place. */
export interface Rights {
  readonly permissions: Iterable<Permission>
  readonly place: Place
}

/** What a held role amounts to. */
export const rightsOf = (everything: View, held: Held): Rights => ({
  permissions: permissionsOf(everything, held),
  place: held.place,
})

/** Nobody passes on what they do not hold: the one rule behind grants, roles, tokens and invitations. */
export function refuseUnheld(caller: Caller, rights: readonly Rights[], what: string): void {
  const missing = rights.flatMap(({ permissions, place }) =>
    [...permissions].filter(permission => !caller.may(permission, place)),
  )
  if (missing.length > 0) throw unheld([...new Set(missing)].sort(), what)
}

function unheld(missing: readonly Permission[], what: string): Problem {
  const [first, ...others] = missing
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return fail('forbidden', `${what} would pass on what you do not hold: ${first}${more}`, {
    suggestion: 'ask someone who holds these permissions there',
    extensions: { permissions: missing },
  })
}
