import { type FoundRegion, type Registering, registerRegion } from '@stead/control'
import type { Logger } from '@stead/engine'
import { type ProviderDefinition, withDeadline } from '@stead/provider-kit'
import { seconds, type World } from '@stead/world'
import type { Configuration } from '../configuration/index.ts'
import { localDetector } from './local.ts'

/** A kind of provider this program has, and what it finds of it without being told. */
export interface Detector {
  readonly provider: ProviderDefinition
  /** The region there should be, or why there is none, in words for the operator. */
  look(signal: AbortSignal): Promise<FoundRegion | { readonly whyNot: string }>
}

/** Every kind of provider this program has. What a kind needs is loaded only where it is used. */
export async function detectors(configuration: Configuration, world: World): Promise<readonly Detector[]> {
  const simulated = configuration.simulatedRegion ? [(await import('./simulated.ts')).simulatedDetector(world)] : []
  return [localDetector(configuration), ...simulated]
}

/** Whatever is asked whether it is there has so long to say so: a start does not wait for a daemon that hangs. */
const patience = seconds(5)

/**
 * Looks around and registers a region for what is found. One that was deleted since is left so. What cannot be looked at,
 * or not be registered, keeps nothing from starting: there is another start, and regions can be registered by hand.
 */
export async function registerFound(
  all: readonly Detector[],
  { log, ...registering }: Registering & { readonly log: Logger },
): Promise<void> {
  await Promise.all(
    all.map(async ({ provider: { kind }, look }) => {
      try {
        const found = await withDeadline(registering.world, patience, look)
        if ('whyNot' in found) log.info({ provider: kind, ...found }, 'there is no region of this kind to find')
        else await register(found, { log, ...registering })
      } catch (error) {
        log.warn({ error, provider: kind }, 'could not look for a region of this kind')
      }
    }),
  )
}

async function register(
  found: FoundRegion,
  { log, ...registering }: Registering & { readonly log: Logger },
): Promise<void> {
  const outcome = await registerRegion(found, registering)
  const fields = { region: found.name, provider: found.provider }
  if (outcome === 'registered') log.info(fields, 'region registered')
  if (outcome === 'name taken') log.warn(fields, 'a region was found, and another one has its name')
}
