import type { Route } from '../../door/route.ts'

/** Routes for whoever has any credential: about themselves, or filtered to what they may read. Written by hand. */
const forEverybody = [
  'GET /v1/whoami',
  'GET /v1/roles',
  'GET /v1/organizations',
  'GET /v1/projects',
  'GET /v1/regions',
  'GET /v1/regions/:region',
  'GET /v1/regions/:region/flavors',
  'GET /v1/regions/:region/images',
  'GET /v1/me/tokens',
  'POST /v1/me/tokens',
  'DELETE /v1/me/tokens/:token',
  'GET /v1/me/sessions',
  'DELETE /v1/me/sessions/:session',
  'POST /v1/me/password',
  'POST /v1/me/invitations',
]

/** Routes for whoever reaches us. Written by hand: a route is public because somebody meant it to be. */
const forAnybody: readonly string[] = [
  'POST /v1/sessions',
  'POST /v1/invitations/accept',
  'GET /v1/oidc',
  'GET /v1/oidc/:provider/login',
  'GET /v1/oidc/:provider/callback',
  // Whoever has a ticket was given it.
  'GET /v1/streams/:ticket',
]

/** Who may do what, and who did what: for administrators and auditors. */
const confidential = new Set([
  'users',
  'service-accounts',
  'tokens',
  'roles',
  'grants',
  'invitations',
  'audit',
  'system',
])

/** What is about people and limits, and not about what runs. */
const identityNouns = new Set(['organizations', 'projects', 'quotas', ...confidential])

/** What is done with something that runs, and neither makes nor ends it. */
const power = new Set(['start', 'stop', 'restart'])
/** Decided about a tenant, by who runs the platform. */
const suspending = new Set(['suspend', 'unsuspend'])
/** Takes over what nobody made here: for who runs the place. */
const adopting = new Set(['adopt'])
/** Secrets that were written, read back. */
const secrets = new Set(['user-data', 'value'])
/** Of these, what is kept from who only builds. */
const revealing = new Set(['value'])
/** What was printed inside of what runs: nobody knows what is in there. For those who work with it. */
const insides = new Set(['logs', 'output'])

interface Act {
  readonly name: string
  readonly scope: Route['scope']
  /** `tokens` in `/v1/organizations/:organization/service-accounts/:account/tokens/:token`. */
  readonly noun: string
  /** Of the place itself: `PATCH /v1/projects/:project`. */
  readonly isAboutPlace: boolean
  readonly looks: boolean
}

function actOf({ method, path, scope }: Route): Act {
  const words = path.split('/').filter(word => word !== '' && word !== 'v1')
  const nouns = words.filter(word => !word.startsWith(':') && word !== 'watch')
  const inside = scope === 'platform' ? nouns : nouns.slice(1)
  return {
    name: `${method} ${path}`,
    scope,
    noun: inside.at(-1) ?? `${scope}s`,
    isAboutPlace: inside.length === 0,
    // Asking whether something would fit, or what it would do, changes nothing; nor does reading by another way.
    looks: method === 'GET' || ['/quota/check', '/plan', '/preview', '/logs'].some(end => path.endsWith(end)),
  }
}

/** What each role is for, in its own place. Written by hand, from what people expect of them, not from their permissions. */
const purposes: Readonly<Record<string, (act: Act) => boolean>> = {
  'platform-admin': () => true,
  'org-admin': ({ scope, noun, isAboutPlace, looks, name }) => {
    if (scope === 'platform' || suspending.has(noun)) return false
    if (name.startsWith('DELETE /v1/organizations/:organization') && isAboutPlace) return false
    // Who runs an organization must not raise its own limits; those of its projects they may.
    return looks || noun !== 'quotas' || scope === 'project'
  },
  'project-admin': ({ scope, noun, looks }) => {
    if (scope !== 'project' || suspending.has(noun)) return false
    return looks ? noun !== 'tokens' && noun !== 'audit' : noun !== 'quotas'
  },
  operator: ({ scope, noun, looks }) =>
    scope === 'project' &&
    // What a console has shown is for who may type into it.
    (looks ? !confidential.has(noun) && !secrets.has(noun) && noun !== 'output' : power.has(noun)),
  developer: ({ scope, noun, looks }) =>
    scope === 'project' &&
    (looks
      ? !confidential.has(noun) && !revealing.has(noun)
      : !identityNouns.has(noun) && !suspending.has(noun) && !adopting.has(noun)),
  reader: ({ scope, noun, looks }) =>
    scope === 'project' && looks && !confidential.has(noun) && !secrets.has(noun) && !insides.has(noun),
  auditor: ({ scope, noun, looks }) => scope !== 'platform' && looks && !secrets.has(noun) && !insides.has(noun),
}

/** Whether a role is meant to make this request, in the place it was given for. */
export function isMeantFor(role: string, route: Route): boolean {
  const act = actOf(route)
  return forAnybody.includes(act.name) || forEverybody.includes(act.name) || purposes[role]!(act)
}

export const isMeantForAnybody = (route: Route): boolean => forAnybody.includes(`${route.method} ${route.path}`)
