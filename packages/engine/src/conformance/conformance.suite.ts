import { describe } from 'vitest'
import { claimSuite } from './claims.suite.ts'
import type { StoreFactory } from './factory.ts'
import { leaseSuite } from './leases.suite.ts'
import { logSuite } from './log.suite.ts'
import { modelSuite } from './model.suite.ts'
import { objectSuite } from './objects.suite.ts'
import { refusalSuite } from './refusals.suite.ts'
import { restartSuite } from './restart.suite.ts'
import { tableSuite } from './tables.suite.ts'

export type { StoreFactory, StoreHome } from './factory.ts'

/** Everything a store promises. Every store runs it; none may differ in anything a caller can see. */
export function storeConformance(name: string, factory: StoreFactory): void {
  describe(`${name} keeps the promises of a store`, () => {
    objectSuite(factory)
    refusalSuite(factory)
    claimSuite(factory)
    logSuite(factory)
    leaseSuite(factory)
    tableSuite(factory)
    restartSuite(factory)
    modelSuite(factory)
  })
}
