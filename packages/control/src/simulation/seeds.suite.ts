import { addReport, emptyReport, printReport } from '@stead/engine/simulation'
import { afterAll, expect, test, vi } from 'vitest'
import type { RunSeed } from './command.ts'
import { type ControlFault, controlFaults } from './faults.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** Nobody asks a simulated cloud here how much is used. */
const unused: readonly ControlFault[] = ['cloud-missingSample']

export interface Seeds {
  readonly first: number
  readonly count: number
  /** In one test. */
  readonly atOnce: number
  /** `sim:servers`: what has one of them again. */
  readonly command: string
}

/** All invariants, all faults at once. A few files share the seeds, so that several workers can. */
export function expectSeedsToHold(runSeed: RunSeed, { first, count, atOnce, command }: Seeds): void {
  const total = emptyReport(controlFaults)

  for (let from = first; from < first + count; from += atOnce)
    test(`seeds ${from} to ${from + atOnce - 1} on three nodes`, async () => {
      for (let seed = from; seed < from + atOnce; seed++) {
        const { violation, faults } = await runSeed(seed, { nodes: 3 })
        addReport(total, faults)
        expect(violation, `again with: npm run ${command} -- --seed ${seed} --trace`).toBeUndefined()
      }
    })

  test('every fault was hit', () => {
    const names = Object.keys(total) as (keyof typeof total)[]
    expect(names.filter(name => total[name].hits === 0 && !unused.includes(name as ControlFault))).toEqual([])
  })

  afterAll(() => console.log(`${count} seeds from ${first} on 3 nodes\n${printReport(controlFaults, total)}`))
}
