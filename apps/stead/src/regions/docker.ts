import { detectEngine, docker, type EngineName } from '@stead/provider-docker'
import type { Configuration } from '../configuration/index.ts'
import type { Detector } from './detect.ts'

/** Services as containers of an engine on this machine, where one answers. */
export function engineDetector(name: EngineName, { database, findRegions }: Configuration): Detector {
  return {
    provider: docker,
    async look(signal) {
      if (!findRegions) return { whyNot: 'nothing is to be looked for' }
      // Found by the first of several nodes, it would be of a machine that the others cannot reach.
      if (database)
        return { whyNot: `a socket is of one machine: register ${name} by hand, over TCP if there are several nodes` }
      const found = await detectEngine(name, undefined, signal)
      if ('whyNot' in found) return found
      return { name, provider: docker.kind, configuration: { endpoint: found.endpoint } }
    },
  }
}
