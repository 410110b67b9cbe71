import type { World } from '@stead/world'
import type { Static, TSchema } from 'typebox'
import { ProviderError } from './errors.ts'
import type { Provider } from './provider.ts'
import type { Owner } from './tags.ts'

export interface Connection<Configuration, Credentials> {
  readonly configuration: Configuration
  /** Sealed wherever it is kept, and never shown again. */
  readonly credentials: Credentials
  readonly owner: Owner
  readonly world: World
  readonly signal?: AbortSignal | undefined
}

/** A provider is one function and two types: what its region is configured with, and what opens the door. */
export interface ProviderDefinition<Configuration extends TSchema = TSchema, Credentials extends TSchema = TSchema> {
  /** The word a region says, e.g. `docker`. */
  readonly kind: string
  readonly configuration: Configuration
  readonly credentials: Credentials
  /** Loads what it needs only now: a region nobody uses costs nothing. */
  connect(connection: Connection<Static<Configuration>, Static<Credentials>>): Promise<Provider>
}

/** The same definition, whose `connect` first refuses what does not fit the two types. */
export function defineProvider<Configuration extends TSchema, Credentials extends TSchema>(
  definition: ProviderDefinition<Configuration, Credentials>,
): ProviderDefinition<Configuration, Credentials> {
  return {
    ...definition,
    async connect(connection) {
      await check(definition.kind, 'configuration', definition.configuration, connection.configuration)
      await check(definition.kind, 'credentials', definition.credentials, connection.credentials)
      return definition.connect(connection)
    },
  }
}

/** Says where it is wrong, never what was there: it may be a secret. */
async function check(kind: string, what: string, schema: TSchema, value: unknown): Promise<void> {
  // Loaded only now: programs that only want the kit's words, and there are small ones, do not pay for it.
  const { Compile } = await import('typebox/schema')
  const [fits, errors] = Compile(schema).Errors(value)
  if (fits) return
  const wrong = errors.map(error => `${error.instancePath || '/'} ${error.message}`)
  throw new ProviderError('InvalidConfig', `the ${what} of a ${kind} region: ${wrong.join('; ')}`)
}
