import { cancelPromises } from './core/cancel.ts'
import { errorPromises } from './core/errors.ts'
import { launchPromises } from './core/launch.ts'
import { lifePromises } from './core/life.ts'
import { listPromises } from './core/list.ts'
import { manyPromises } from './core/many.ts'
import { offerPromises } from './core/offer.ts'
import { ownershipPromises } from './core/ownership.ts'
import { addressPromises } from './groups/addresses.ts'
import { adoptPromises } from './groups/adopt.ts'
import { imageBasics, networkBasics, securityGroupBasics, snapshotBasics, volumeBasics } from './groups/collections.ts'
import { consolePromises } from './groups/console.ts'
import { execPromises } from './groups/exec.ts'
import { logPromises } from './groups/logs.ts'
import { metricsPromises } from './groups/metrics.ts'
import { rebootPromises, rebuildPromises, resizePromises, updatePromises } from './groups/power.ts'
import {
  imagePromises,
  networkPromises,
  securityGroupPromises,
  snapshotPromises,
  volumePromises,
} from './groups/resources.ts'
import { watchPromises } from './groups/watch.ts'
import type { ContractPromise } from './promise.ts'

/** Everything a provider promises. The core for every one, the groups for those that advertise them. */
export const contractPromises: readonly ContractPromise[] = [
  ...offerPromises,
  ...launchPromises,
  ...lifePromises,
  ...listPromises,
  ...ownershipPromises,
  ...errorPromises,
  ...cancelPromises,
  ...manyPromises,
  ...rebootPromises,
  ...resizePromises,
  ...rebuildPromises,
  ...updatePromises,
  ...adoptPromises,
  ...snapshotBasics,
  ...snapshotPromises,
  ...imageBasics,
  ...imagePromises,
  ...networkBasics,
  ...networkPromises,
  ...securityGroupBasics,
  ...securityGroupPromises,
  ...volumeBasics,
  ...volumePromises,
  ...consolePromises,
  ...execPromises,
  ...logPromises,
  ...metricsPromises,
  ...watchPromises,
  ...addressPromises,
]
