import { join, resolve } from 'node:path'
import { detectLocal, local } from '@stead/provider-local'
import type { Configuration } from '../configuration/index.ts'
import type { Detector } from './detect.ts'

/** Services as isolated processes on this machine, as well isolated as it allows. */
export function localDetector({ data, database, listen, findRegions }: Configuration): Detector {
  const home = resolve(data)
  return {
    provider: local,
    async look() {
      if (!findRegions) return { whyNot: 'nothing is to be looked for' }
      // Found by the first of several nodes, it would be of a machine that the others cannot reach.
      if (database)
        return { whyNot: 'a local region is of one machine: register one by hand if there is only one node' }
      const { level, missing } = await detectLocal()
      if (level === 'none') return { whyNot: missing.basic ?? 'nothing here isolates services' }
      return {
        name: 'local',
        provider: local.kind,
        configuration: {
          directory: join(home, 'regions', 'local'),
          isolation: 'best',
          forbidden: { paths: [home], ports: listen.port === 0 ? [] : [listen.port] },
        },
      }
    },
  }
}
