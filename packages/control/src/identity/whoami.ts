import type { View } from '@stead/engine'
import { type Route, route } from '../door/route.ts'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'
import { AuthenticatedCaller } from './authenticated-caller.ts'
import type { Place } from './caller.ts'
import type { Held } from './grants/model.ts'
import { permissionsOf } from './rights.ts'
import { ScopePermissions } from './tokens/model.ts'

const Named = Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) })

const Whoami = Type.Object(
  {
    principal: Type.Object({ id: Type.String(), type: Type.String(), displayName: Type.String() }),
    credential: Type.Object({
      id: Type.String(),
      scope: Type.Optional(
        Type.Object({ permissions: Type.Optional(ScopePermissions), projectId: Type.Optional(Type.String()) }),
      ),
    }),
    csrfToken: Type.Optional(secret(Type.String({ description: 'For sessions: send it as stead-csrf with changes.' }))),
    grants: Type.Array(
      Type.Object({
        role: Type.String(),
        on: Type.Enum(['platform', 'organization', 'project']),
        organization: Type.Optional(Named),
        project: Type.Optional(Named),
        permissions: Type.Array(Type.String()),
      }),
    ),
  },
  { title: 'Whoami' },
)

/** Who the caller is to us, and what they hold: what a console needs to know which buttons to show. */
export const whoamiRoute: Route = route({
  method: 'GET',
  path: '/v1/whoami',
  summary: 'Who the caller is, and what they may do where',
  scope: 'platform',
  permission: 'authenticated',
  replies: { 200: Whoami },
  handle({ caller }, { everything }) {
    const { principalId: id, type, displayName, credentialId } = caller
    const known = caller instanceof AuthenticatedCaller ? caller : undefined
    return {
      status: 200,
      body: {
        principal: { id, type, displayName },
        credential: { id: credentialId, scope: known?.scope },
        csrfToken: known?.csrfToken,
        grants: (known?.held() ?? []).map(each => describe(everything, each)),
      },
    }
  },
})

function describe(everything: View, held: Held) {
  const { role, place } = held
  return { role, on: place.type, ...names(everything, place), permissions: [...permissionsOf(everything, held)].sort() }
}

function names(everything: View, place: Place) {
  if (place.type === 'platform') return {}
  const { organizationId } = place
  const organization = { id: organizationId, name: everything.get('organization', organizationId)?.name }
  if (place.type === 'organization') return { organization }
  return { organization, project: { id: place.projectId, name: everything.get('project', place.projectId)?.name } }
}
