import { parseArgs } from 'node:util'
import { addReport, emptyReport, type FaultReport, printReport } from '@stead/engine/simulation'
import { type ControlFault, controlFaults } from './faults.ts'

/** One run, as its seed says. */
export type RunSeed = (
  seed: number,
  options: { readonly nodes: number; readonly print?: (line: string) => void },
) => Promise<{
  readonly violation?: { readonly invariant: string; readonly detail: string }
  readonly faults: FaultReport<ControlFault>
}>

/** Runs seeds as the command line says: some, or one again with all that happens in it. docs/simulation.md says more. */
export async function runFromCommandLine(runSeed: RunSeed): Promise<never> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      nodes: { type: 'string', default: '3' },
      trace: { type: 'boolean', default: false },
    },
  })
  const [first, count, nodes] = [Number(values.seed), Number(values.seeds), Number(values.nodes)]
  const total = emptyReport(controlFaults)
  let failed = 0
  for (let seed = first; seed < first + count; seed++) {
    const print = values.trace ? { print: (line: string) => console.log(line) } : {}
    const { violation, faults } = await runSeed(seed, { nodes, ...print })
    addReport(total, faults)
    if (!violation) continue
    failed++
    console.error(`seed ${seed} breaks "${violation.invariant}": ${violation.detail}`)
  }
  console.log(printReport(controlFaults, total))
  console.log(`${count} seeds, ${failed} failed`)
  // Nodes that died on the way wait for ever.
  process.exit(failed > 0 ? 1 : 0)
}
