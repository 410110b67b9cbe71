import { addReport, emptyReport, printReport } from '@stead/engine/simulation'
import type { FaultName } from '@stead/provider-kit/simulated'
import { afterAll, expect, test, vi } from 'vitest'
import { outageKinds } from './cloud.ts'
import { modes, planNames, plans } from './plans.ts'
import { catalogue, cloudRates, runSeed } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

const seeds = 10
const total = emptyReport(catalogue)
const struck = new Map<string, number>()

test.each(modes)('everything at once, on three nodes, where things are made once by %s', async mode => {
  for (const [index, name] of planNames.entries())
    for (let seed = 1 + index * seeds; seed <= (index + 1) * seeds; seed++) {
      const outcome = await runSeed(seed, { nodes: 3, mode, plan: plans[name] })
      addReport(total, outcome.faults)
      for (const [fault, count] of Object.entries(outcome.struck)) struck.set(fault, (struck.get(fault) ?? 0) + count)
      expect(outcome.violation, `${name}, seed ${seed}`).toBeUndefined()
    }
})

test('every fault of the cloud that concerns a collection was hit', () => {
  const expected: FaultName[] = [...outageKinds, ...(Object.keys(cloudRates) as FaultName[])]
  expect(expected.filter(fault => !struck.get(fault))).toEqual([])
})

afterAll(() => console.log(`${printReport(catalogue, total)}\n${JSON.stringify(Object.fromEntries(struck))}`))
