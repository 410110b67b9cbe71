import type { Controller } from '@stead/engine'
import { usageRoutes } from './api.ts'
import { type SamplerOptions, usageSampler } from './sampler.ts'
import { usageRetention } from './tracks.ts'

/** What instances use, measured and kept. */
export const usageRoom = {
  retention: usageRetention,
  controllers: (options: SamplerOptions): readonly Controller[] => [usageSampler(options)],
  routes: usageRoutes,
}
