import { readFileSync } from 'node:fs'
import { OidcProvider, outgoingClient, type RoomOptions, Type, validator } from '@stead/control'
import type { World } from '@stead/world'
import type { Static } from 'typebox'
import { type Configuration, flagOf } from './configuration/index.ts'
import { StartError } from './exit-codes.ts'

const ProvidersFile = Type.Object({ providers: Type.Array(OidcProvider) })

/** Whom we trust besides ourselves to say who somebody is, and where browsers find us. */
export async function trustedProviders(
  { oidc: file, publicUrl, outgoingAllow }: Pick<Configuration, 'oidc' | 'publicUrl' | 'outgoingAllow'>,
  world: World,
): Promise<Pick<RoomOptions, 'oidc' | 'publicUrl'>> {
  const shown = publicUrl === undefined ? {} : { publicUrl }
  if (file === undefined) return shown
  const { providers } = await readProviders(file)
  if (publicUrl === undefined && providers.some(({ clientId }) => clientId !== undefined))
    throw new StartError('usage', `signing in with a provider of ${file} needs ${flagOf('publicUrl')}`)
  return { ...shown, oidc: { providers, client: outgoingClient({ world, allow: outgoingAllow }) } }
}

async function readProviders(file: string): Promise<Static<typeof ProvidersFile>> {
  // Loaded only when there is a file: reading YAML costs 40 ms of every start otherwise.
  const { parse } = await import('yaml')
  let content: unknown
  try {
    content = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError('usage', `the identity providers in ${file} cannot be read: ${(error as Error).message}`)
  }
  const [wrong] = validator(ProvidersFile).errors(content)
  if (wrong) throw new StartError('usage', `${file}: ${wrong.path || 'it'} ${wrong.message}`)
  const { providers } = content as Static<typeof ProvidersFile>
  for (const field of ['name', 'issuer'] as const)
    if (new Set(providers.map(provider => provider[field])).size < providers.length)
      throw new StartError('usage', `${file}: two providers have the same ${field}`)
  return { providers }
}
