import { type FoundRegion, type Registering, registerRegion } from '@stead/control'
import type { Logger } from '@stead/engine'
import type { ProviderDefinition } from '@stead/provider-kit'
import type { World } from '@stead/world'
import type { Configuration } from '../configuration/index.ts'

/** A kind of provider this program has, and what it finds of it without being told. */
export interface Detector {
  readonly provider: ProviderDefinition
  /** The region there should be, or why there is none, in words for the operator. */
  look(): Promise<FoundRegion | { readonly whyNot: string }>
}

/** Every kind of provider this program has. What a kind needs is loaded only where it is used. */
export async function detectors({ simulatedRegion }: Configuration, world: World): Promise<readonly Detector[]> {
  return simulatedRegion ? [(await import('./simulated.ts')).simulatedDetector(world)] : []
}

/** Looks around and registers a region for what is found. One that was deleted since is left so. */
export async function registerFound(
  all: readonly Detector[],
  { log, ...registering }: Registering & { readonly log: Logger },
): Promise<void> {
  for (const { provider, look } of all) {
    const found = await look()
    if ('whyNot' in found) {
      log.info({ provider: provider.kind, whyNot: found.whyNot }, 'no region of this kind was found')
      continue
    }
    const outcome = await registerRegion(found, registering)
    const fields = { region: found.name, provider: provider.kind }
    if (outcome === 'registered') log.info(fields, 'region registered')
    if (outcome === 'name taken') log.warn(fields, 'a region was found, and another one has its name')
  }
}
