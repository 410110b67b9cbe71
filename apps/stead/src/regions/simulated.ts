import { SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import type { World } from '@stead/world'
import type { Detector } from './detect.ts'

/**
 * Clouds in the memory of this process: what runs there is gone when it ends, and another node has clouds of its own. For
 * trying things out, not for keeping them.
 */
export function simulatedDetector(world: World): Detector {
  const clouds = new Map<string, SimulatedCloud>()
  const cloud = (name: string) => {
    const known = clouds.get(name) ?? new SimulatedCloud({ world })
    clouds.set(name, known)
    return known
  }
  return {
    provider: simulatedProvider(cloud),
    // The key that every simulated cloud has from the start; it protects nothing.
    look: async () => ({ name: 'simulated', provider: 'simulated', credentials: { key: 'simulated' } }),
  }
}
