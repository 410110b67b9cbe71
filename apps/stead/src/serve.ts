import type { World } from '@stead/world'
import type { Logger } from 'pino'
import type { Configuration } from './configuration/index.ts'
import { openDataDirectory } from './data-directory.ts'
import { openStore } from './store.ts'
import type { Version } from './version.ts'

export interface ServeOptions {
  readonly configuration: Configuration
  readonly version: Version
  readonly world: World
  readonly log: Logger
}

export interface Serving {
  readonly url: string
  /** The admin token, if this start made it. */
  readonly firstToken: { readonly token: string; readonly path: string } | undefined
  /** Resolves with the reason if it can never serve again. */
  readonly failed: Promise<Error>
  /** Loads what the first requests would have to wait for. */
  warmUp(): void
  /** Stops accepting, finishes what was begun, lets go of everything. */
  stop(): Promise<void>
}

/** Opens the store, whose threads take as long to start as the rest of the program to load, and puts the program on it. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { configuration, world, log } = options
  openDataDirectory(configuration.data)
  const [opened, { assemble }] = await Promise.all([openStore(configuration, world, log), import('./assemble.ts')])
  return assemble(options, opened)
}
