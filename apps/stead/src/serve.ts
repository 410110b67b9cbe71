import { createMetrics } from '@stead/engine'
import type { World } from '@stead/world'
import type { Logger } from 'pino'
import type { Configuration } from './configuration/index.ts'
import { openDataDirectory } from './data-directory.ts'
import { StartError } from './exit-codes.ts'
import { listen } from './http/server.ts'
import { Parts } from './parts.ts'
import { measureProcess } from './process-metrics.ts'
import type { Version } from './version.ts'

export interface ServeOptions {
  readonly configuration: Configuration
  readonly version: Version
  readonly world: World
  readonly log: Logger
}

export interface Serving {
  readonly url: string
  /** Stops accepting, finishes what was begun, lets go of everything. */
  stop(): Promise<void>
}

/** Puts the running program together, each part on the ones before it. A part that fails to open closes the others again. */
export async function serve({ configuration, version, world, log }: ServeOptions): Promise<Serving> {
  if (configuration.database) throw new StartError('usage', 'this version cannot keep its objects in PostgreSQL yet')
  const metrics = createMetrics()
  const parts = new Parts()
  try {
    openDataDirectory(configuration.data)
    parts.add(measureProcess(metrics, world))
    const { url, part } = await listen({ configuration, log, world, metrics, parts, version })
    parts.add(part)
    return { url, stop: () => parts.close() }
  } catch (error) {
    await parts.close()
    throw error
  }
}
