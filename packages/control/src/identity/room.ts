import type { ChangeSet, Committed, Controller, Index, Logger, Store, View } from '@stead/engine'
import type { World } from '@stead/world'
import type { Tell } from '../audit/deeds.ts'
import type { Authenticate } from '../door/admission.ts'
import type { Route } from '../door/route.ts'
import { LastUse } from '../marks/last-use.ts'
import { organizationRoutes } from '../organizations/api.ts'
import type { OutgoingClient } from '../outgoing/client.ts'
import { projectRoutes } from '../projects/api.ts'
import { teardownController } from '../teardown/controller.ts'
import type { Part } from '../teardown/model.ts'
import { authentication } from './authentication/authenticate.ts'
import { byOidc } from './authentication/by-oidc.ts'
import { bySession } from './authentication/by-session.ts'
import { byToken } from './authentication/by-token.ts'
import { type Recall, recaller } from './authentication/recall.ts'
import { expiryControllers } from './expiry.ts'
import { grantRoutes } from './grants/api.ts'
import { grantsByPrincipal, grantsByRole } from './grants/model.ts'
import { acceptRoutes } from './invitations/accept.ts'
import { invitationRoutes } from './invitations/api.ts'
import { meRoutes } from './me/api.ts'
import { loginRoutes } from './oidc/login.ts'
import type { Claims, OidcProvider } from './oidc/model.ts'
import { Provider } from './oidc/provider.ts'
import { Guessing } from './passwords/guessing.ts'
import { type PasswordCost, Passwords } from './passwords/passwords.ts'
import { roleRoutes } from './roles/api.ts'
import { serviceAccountRoutes } from './service-accounts/api.ts'
import { sessionRoutes } from './sessions/api.ts'
import { SessionCookie } from './sessions/cookie.ts'
import { tokenRoutes } from './tokens/api.ts'
import { userRoutes } from './users/api.ts'
import { usersByEmail, usersBySubject } from './users/model.ts'
import { whoamiRoute } from './whoami.ts'
import { identityWholes } from './wholes.ts'

/** Further ways to find what identity keeps; the engine is started with them. */
export const identityIndexes = [grantsByPrincipal, grantsByRole, usersByEmail, usersBySubject] as readonly Index[]

/** When one of these changes, what is open is asked again whether it may stay. */
export const rightsKinds: readonly string[] = [
  'grant',
  'role',
  'token',
  'session',
  'user',
  'service-account',
  'organization',
  'project',
]

/** What ends organizations, projects and principals. `inProjects` are the parts that other rooms put into projects. */
export const identityControllers = (inProjects: readonly Part[], tell: Tell): readonly Controller[] => [
  ...Object.values(identityWholes(inProjects)).map(whole => teardownController(whole, tell)),
  ...expiryControllers(tell),
]

export interface IdentityOptions {
  readonly everything: View
  readonly store: Pick<Store, 'setMarks' | 'marks'>
  readonly world: World
  readonly log: Logger
  readonly inProjects: readonly Part[]
  /** Whether browsers reach us over TLS, ours or a proxy's. */
  readonly isSecure: boolean
  /** Where browsers find us, when that is not what they say in Host. */
  readonly publicUrl?: string
  /** Identity providers that are trusted here, and the way to them. */
  readonly oidc?: { readonly providers: readonly OidcProvider[]; readonly client: OutgoingClient }
  /** Commits, and resolves once this node reads what was written. */
  readonly commit: (set: ChangeSet) => Promise<Committed>
  /** How hard passwords are to guess from their hashes; as hard as they should be unless said. For tests. */
  readonly passwordCost?: PasswordCost
}

export interface Identity {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly recall: Recall
  close(): Promise<void>
}

/** Who comes in, and everything they can be told about who may do what. */
export function identity(options: IdentityOptions): Identity {
  const { everything, store, world, log, inProjects, isSecure, publicUrl } = options
  const wholes = identityWholes(inProjects)
  const mark = (id: string) => `last-used/${id}`
  const lastUse = new LastUse({ store, world, log, what: 'credentials', mark })
  const passwords = new Passwords(world, options.passwordCost)
  const guessing = new Guessing(world)
  const cookie = new SessionCookie({ isSecure })
  const sources = { everything, world, lastUse }
  const providers = (options.oidc?.providers ?? []).map(
    each => new Provider(each, { everything, world, commit: options.commit, client: options.oidc!.client }),
  )
  const heldByClaims = (claims: Claims) =>
    providers.find(({ configuration }) => configuration.issuer === claims.iss)?.held(claims) ?? []
  return {
    routes: [
      ...organizationRoutes(wholes.organization),
      ...projectRoutes(wholes.project),
      ...serviceAccountRoutes(wholes.serviceAccount),
      ...tokenRoutes(lastUse),
      ...roleRoutes(wholes.role),
      ...grantRoutes,
      ...userRoutes(wholes.user),
      ...invitationRoutes,
      ...acceptRoutes(passwords),
      ...sessionRoutes({ world, passwords, guessing, cookie }),
      ...loginRoutes({ providers, cookie, isSecure, publicUrl }),
      ...meRoutes({ lastUse, passwords, guessing, cookie }),
      whoamiRoute,
    ],
    authenticate: authentication([
      byToken(sources),
      byOidc({ ...sources, providers }),
      bySession({ ...sources, cookie, publicUrl, heldByClaims }),
    ]),
    recall: recaller({ everything, world, heldByClaims }),
    close: () => lastUse.close(),
  }
}
