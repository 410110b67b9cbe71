import type { Amounts } from '../quotas/kinds.ts'
import type { OfferedFlavor } from '../regions/catalog/offered.ts'
import { diskOf } from './fit.ts'
import type { InstanceSpec } from './model.ts'
import { roleOf } from './source/services.ts'

/** What an instance is charged, whatever its power. The flavor is the one its machine names. */
export function amountsOf({ source }: Pick<InstanceSpec, 'source'>, flavor: OfferedFlavor | undefined): Amounts {
  const { machine, services } = source
  if (machine && flavor) {
    return {
      instances: 1,
      cpuMillis: flavor.cpuMillis,
      memoryMiB: flavor.memoryMiB,
      diskGiB: diskOf({ flavor, diskGiB: machine.diskGiB }) ?? 0,
      gpus: flavor.gpu?.count ?? 0,
      publicIps: machine.publicIp ? 1 : 0,
    }
  }
  const { inits = [], others = [] } = Object.groupBy(Object.values(services?.services ?? {}), service =>
    roleOf(service) === 'init' ? 'inits' : 'others',
  )
  // Inits have run before the rest begins: of both only the larger is there at a time.
  const most = (kind: 'cpuMillis' | 'memoryMiB' | 'gpus') =>
    Math.max(
      others.reduce((total, { resources }) => total + (resources?.[kind] ?? 0), 0),
      ...inits.map(({ resources }) => resources?.[kind] ?? 0),
    )
  return { instances: 1, cpuMillis: most('cpuMillis'), memoryMiB: most('memoryMiB'), gpus: most('gpus') }
}
