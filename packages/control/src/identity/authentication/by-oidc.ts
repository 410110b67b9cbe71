import { createHash } from 'node:crypto'
import type { View } from '@stead/engine'
import { instant, type World } from '@stead/world'
import { AuthenticatedCaller } from '../authenticated-caller.ts'
import type { Provider } from '../oidc/provider.ts'
import { isActive } from '../principals.ts'
import { bearerOf, type Method, unauthenticated } from './authenticate.ts'

export interface OidcSources {
  readonly everything: View
  readonly world: World
  readonly providers: readonly Provider[]
}

/** Bearer tokens of the identity providers we trust. */
export function byOidc({ everything, world, providers }: OidcSources): Method {
  const admit = async (provider: Provider, token: string) => {
    const { audiences = [] } = provider.configuration
    if (audiences.length === 0) throw unauthenticated('tokens of this issuer are only good for signing in')
    const claims = await provider.verify(token, audiences)
    const principal = await provider.user(claims)
    if (!isActive(principal)) throw unauthenticated('whose token this is has been disabled or deleted')
    return new AuthenticatedCaller({
      everything,
      principal,
      // Names the token without being it.
      credentialId: `oidc_${createHash('sha256').update(token).digest('hex').slice(0, 32)}`,
      isCredentialCurrent: () => claims.exp * 1_000 > world.now(),
      until: instant(claims.exp * 1_000),
      claimed: provider.held(claims),
    })
  }
  return ({ headers }) => {
    const token = bearerOf(headers.authorization)
    const provider = token === undefined ? undefined : providerOf(providers, token)
    return provider && admit(provider, token!)
  }
}

/** Whose token this says it is; verified after that. */
function providerOf(providers: readonly Provider[], token: string): Provider | undefined {
  if (providers.length === 0 || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
    return providers.find(({ configuration }) => configuration.issuer === claims.iss)
  } catch {
    return undefined
  }
}
