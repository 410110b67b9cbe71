import { changeSet, type Store, type View } from '@stead/engine'
import type { Reply } from '../door/route.ts'
import { type Request, type Route, route } from '../door/route.ts'
import type { Services } from '../door/services.ts'
import type { Place } from '../identity/caller.ts'
import { Type } from '../schema/type.ts'
import { buildingOn, placeObjects } from '../teardown/building.ts'
import type { Payer } from './counters.ts'
import { type Limits, limitsOf, setLimits } from './limits.ts'
import { AmountsBody, LimitsBody, presentQuotas, QuotaCheck, QuotaList } from './model.ts'
import { blocking, type Level, readLevels } from './use.ts'
import type { QuotaVerifier } from './verifier.ts'
import { describeDrift } from './verify.ts'

export interface QuotaRouteOptions {
  readonly store: Pick<Store, 'counters'>
  readonly verifier: QuotaVerifier
}

export function quotaRoutes({ store, verifier }: QuotaRouteOptions): readonly Route[] {
  const levelsAt = (everything: View, place: Place) =>
    readLevels(store, payer => limitsOf(everything, payer), payerAt(place))

  /** The same for organizations and projects, but for who may. */
  const ofPlace = (scope: 'organization' | 'project', update: 'quotas:limit' | 'quotas:update') => {
    const path = `/v1/${scope}s/:${scope}/quotas`
    const read = async ({ place }: Pick<Request, 'place'>, { everything }: Services): Promise<Reply> => ({
      status: 200,
      body: presentQuotas(await levelsAt(everything, place)),
    })
    return [
      route({
        method: 'GET',
        path,
        summary: `Read what ${article(scope)} may use and what it uses`,
        scope,
        permission: 'quotas:read',
        replies: { 200: QuotaList },
        handle: read,
      }),
      route({
        method: 'PUT',
        path,
        summary: `Set the limits of ${article(scope)}`,
        description: `Replaces all of them: a kind that is left out, or null, is unlimited. A limit below what is in use is allowed; it only
stops growth.`,
        scope,
        permission: update,
        body: LimitsBody,
        replies: { 200: QuotaList },
        examples: { body: { limits: { instances: 50, cpuMillis: 100_000 } } },
        async handle(request, services) {
          const { world, everything, conclude } = services
          const { place, body } = request
          const set = buildingOn(changeSet(world), ...placeObjects(everything, place))
          const limits = limitsFrom(body)
          const draft = setLimits(set, everything, { ...payerAt(place), limits, at: world.now() })
          if (!draft) return read(request, services)
          const levels = await levelsAt(everything, place)
          return conclude(set, () => ({ status: 200, body: presentQuotas(withLimits(levels, limits)) }))
        },
      }),
    ]
  }

  return [
    ...ofPlace('organization', 'quotas:limit'),
    ...ofPlace('project', 'quotas:update'),
    route({
      method: 'POST',
      path: '/v1/projects/:project/quota/check',
      summary: 'Ask whether something would fit, without making it',
      scope: 'project',
      permission: 'quotas:read',
      body: AmountsBody,
      replies: { 200: QuotaCheck },
      examples: { body: { instances: 1, cpuMillis: 4_000 } },
      async handle({ place, body }, { everything }) {
        const found = blocking(await levelsAt(everything, place), body)
        return { status: 200, body: { fits: found.length === 0, blocking: found } }
      },
    }),
    ...verifyRoutes(verifier),
  ]
}

const Verified = Type.Object(
  {
    drift: Type.Array(Type.String({ description: 'What is wrong; nothing ever should be.' })),
    repaired: Type.Boolean(),
  },
  { title: 'QuotaVerification' },
)

function verifyRoutes(verifier: QuotaVerifier): readonly Route[] {
  const verify = async (repair: boolean): Promise<Reply> => {
    const { found, isRepaired } = await verifier.verify({ repair })
    return { status: 200, body: { drift: found.map(describeDrift), repaired: isRepaired } }
  }
  return [
    route({
      method: 'GET',
      path: '/v1/system/quotas/drift',
      summary: 'Recount all quotas, and read what is wrong with them',
      scope: 'platform',
      permission: 'system:read',
      replies: { 200: Verified },
      handle: () => verify(false),
    }),
    route({
      method: 'POST',
      path: '/v1/system/quotas/repair',
      summary: 'Recount all quotas, and set right what is wrong with them',
      scope: 'platform',
      permission: 'system:update',
      replies: { 200: Verified },
      handle: () => verify(true),
    }),
  ]
}

const article = (scope: string) => (scope === 'organization' ? `an ${scope}` : `a ${scope}`)

function payerAt(place: Place): Payer {
  if (place.type === 'platform') throw new Error('the platform has no quotas')
  const { organizationId: organization } = place
  return place.type === 'project' ? { organization, project: place.projectId } : { organization }
}

const limitsFrom = ({ limits }: LimitsBody): Limits =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)) as Limits

/** The levels as they will be, with the nearest limits replaced. */
const withLimits = ([own, ...others]: readonly Level[], limits: Limits): readonly Level[] => [
  { ...own!, limits },
  ...others,
]
