// `npm run sim`: runs the simulation, or one run of it again. docs/simulation.md says what it does.
import { parseArgs } from 'node:util'
import {
  type ExampleFault,
  type ExampleOutcome,
  exampleFaults,
  likeUndisturbed,
  runExample,
  runSeed,
} from './example/run.ts'
import { type ScenarioName, scenarioNames, scenarios } from './example/scenarios.ts'
import { printReport, type ScriptedFault } from './faults.ts'
import { describeFailure, runSeeds, scenarioCommand, seedCommand } from './seeds.ts'

const usage = `npm run sim -- --seed N [--nodes 3] [--trace]      one seed, exactly as it was
npm run sim -- --seeds 1000 [--seed N] [--nodes 3]  many, from N on
npm run sim -- --scenario NAME [--fault NAME/AT]... a fixed scenario, with each fault at its AT-th occasion
scenarios: ${scenarioNames.join(', ')}`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    nodes: { type: 'string', default: '3' },
    scenario: { type: 'string' },
    fault: { type: 'string', multiple: true, default: [] },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const seed = wholeNumber('seed', values.seed)
const nodes = wholeNumber('nodes', values.nodes)
const print = values.trace ? { print: (line: string) => console.log(line) } : {}

if (values.help) console.log(usage)
else if (values.scenario !== undefined) await runScenario(values.scenario, values.fault.map(scriptedFault))
else if (values.seeds !== undefined) await runMany(wholeNumber('seeds', values.seeds))
else show(await runSeed(seed, { nodes, ...print }), seedCommand(seed, nodes))

async function runScenario(name: string, script: readonly ScriptedFault<ExampleFault>[]): Promise<void> {
  if (!(name in scenarios)) fail(`there is no scenario ${name}\n${usage}`)
  const plan = scenarios[name as ScenarioName]
  const outcome = await runExample({ seed, nodes, plan, script, ...print })
  show(await likeUndisturbed(outcome, plan), scenarioCommand(name, nodes, script))
}

async function runMany(count: number): Promise<void> {
  const { failures, faults, steps, virtualSeconds } = await runSeeds({ first: seed, count, nodes })
  console.log(printReport(exampleFaults, faults))
  for (const failure of failures) console.error(failure)
  console.log(
    `${count} seeds, ${steps} steps, ${(virtualSeconds / 3_600).toFixed(1)} h of virtual time, ${failures.length} failed`,
  )
  if (failures.length > 0) process.exitCode = 1
}

function show({ violation, traceHash, steps, virtualSeconds, endState }: ExampleOutcome, command: string): void {
  console.log(`${steps} steps, ${virtualSeconds.toFixed(1)} s of virtual time, trace ${traceHash}`)
  console.log(`left in the end: ${endState}`)
  if (!violation) return
  console.error(describeFailure(violation, command))
  process.exitCode = 1
}

function scriptedFault(text: string): ScriptedFault<ExampleFault> {
  const [name = '', at = ''] = text.split('/')
  if (!(name in exampleFaults)) fail(`there is no fault ${name}`)
  return { name: name as ExampleFault, at: wholeNumber('fault', at) }
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text)
  if (text === '' || !Number.isSafeInteger(number) || number < 0)
    fail(`--${option}: ${text} is not a whole number\n${usage}`)
  return number
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
