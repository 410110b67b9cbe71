import { afterAll, expect, test, vi } from 'vitest'
import { exampleFaults } from './example/run.ts'
import { addReport, emptyReport, printReport } from './faults.ts'
import { neverHit, runSeeds } from './seeds.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** So many that each of them is a test of a few seconds. */
const atOnce = 20
const total = emptyReport(exampleFaults)

/** All invariants, all faults at once. A few files share the seeds, so that several workers can. */
export function expectSeedsToHold({ first, count, nodes }: { first: number; count: number; nodes: number }): void {
  for (let from = first; from < first + count; from += atOnce)
    test(`seeds ${from} to ${from + atOnce - 1} on ${nodes === 1 ? 'one node' : `${nodes} nodes`}`, async () => {
      const { failures, faults } = await runSeeds({ first: from, count: atOnce, nodes })
      addReport(total, faults)
      expect(failures.join('\n')).toBe('')
    })

  test('every fault was hit', () => expect(neverHit(total)).toEqual([]))

  afterAll(() => console.log(`${count} seeds from ${first} on ${nodes} nodes\n${printReport(exampleFaults, total)}`))
}
