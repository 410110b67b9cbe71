import { type FoundRegion, type Registering, registerRegion } from '@stead/control'
import type { Logger } from '@stead/engine'
import { type ProviderDefinition, withDeadline } from '@stead/provider-kit'
import { seconds, type World } from '@stead/world'
import type { Configuration } from '../configuration/index.ts'
import { engineDetector } from './docker.ts'
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
  const engines = (['docker', 'podman'] as const).map(name => engineDetector(name, configuration))
  return [localDetector(configuration), ...engines, ...simulated]
}

/** Whatever is asked whether it is there has so long to say so: a start does not wait for a daemon that hangs. */
const patience = seconds(5)

/** What is found of a kind, if anything is. It never rejects: what cannot be looked at keeps nothing from starting. */
export type Look = Promise<FoundRegion | undefined>

/** Looks for all kinds at once. */
export const lookAround = (all: readonly Detector[], world: World, log: Logger): readonly Look[] =>
  all.map(async ({ provider: { kind }, look }) => {
    try {
      const found = await withDeadline(world, patience, look)
      if (!('whyNot' in found)) return found
      log.info({ provider: kind, ...found }, 'there is no region of this kind to find')
    } catch (error) {
      log.warn({ error, provider: kind }, 'could not look for a region of this kind')
    }
    return undefined
  })

/**
 * Registers a region for each that is found. One that was deleted since is left so. What cannot be registered keeps
 * nothing from starting either: there is another start, and regions can be registered by hand.
 */
export async function registerFound(
  looks: readonly Look[],
  { log, ...registering }: Registering & { readonly log: Logger },
): Promise<void> {
  await Promise.all(
    looks.map(async look => {
      const found = await look
      if (!found) return
      const fields = { region: found.name, provider: found.provider }
      try {
        const outcome = await registerRegion(found, registering)
        if (outcome === 'registered') log.info(fields, 'region registered')
        if (outcome === 'name taken') log.warn(fields, 'a region was found, and another one has its name')
      } catch (error) {
        log.warn({ error, ...fields }, 'a region was found, and could not be registered')
      }
    }),
  )
}
