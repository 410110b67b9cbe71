import { type ExampleFault, type ExampleOutcome, exampleFaults, runSeed, type SeedOptions } from './example/run.ts'
import { addReport, emptyReport, type FaultReport, type ScriptedFault } from './faults.ts'

export interface SeedsOptions extends SeedOptions {
  readonly first: number
  readonly count: number
}

export interface SeedsOutcome {
  /** One paragraph for each seed that went wrong: what, and how to see it again. */
  readonly failures: readonly string[]
  readonly faults: FaultReport<ExampleFault>
  readonly steps: number
  readonly virtualSeconds: number
}

/** Runs many seeds, and adds up how often each fault was hit. */
export async function runSeeds({ first, count, ...options }: SeedsOptions): Promise<SeedsOutcome> {
  const failures: string[] = []
  const faults = emptyReport(exampleFaults)
  let steps = 0
  let virtualSeconds = 0
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await runSeed(seed, options)
    addReport(faults, outcome.faults)
    steps += outcome.steps
    virtualSeconds += outcome.virtualSeconds
    if (outcome.violation)
      failures.push(`seed ${seed} ${describeFailure(outcome.violation, seedCommand(seed, options.nodes))}`)
  }
  return { failures, faults, steps, virtualSeconds }
}

export const neverHit = (faults: FaultReport<ExampleFault>): readonly ExampleFault[] =>
  (Object.keys(faults) as ExampleFault[]).filter(name => faults[name].hits === 0)

export const seedCommand = (seed: number, nodes: number): string =>
  `npm run sim -- --seed ${seed} --nodes ${nodes} --trace`

/** How to have one run of a scenario again. */
export function scenarioCommand(name: string, nodes: number, script: readonly ScriptedFault[]): string {
  const faults = script.map(fault => ` --fault ${fault.name}/${fault.at}`).join('')
  return `npm run sim -- --scenario '${name}' --nodes ${nodes}${faults} --trace`
}

export const describeFailure = (
  { invariant, detail }: NonNullable<ExampleOutcome['violation']>,
  command: string,
): string => `breaks "${invariant}": ${detail}\n  again with: ${command}`
