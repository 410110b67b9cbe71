// `npm run sim:servers`: runs the simulation of servers, or one run of it again. docs/simulation.md says what it does.
import { runFromCommandLine } from '../../simulation/command.ts'
import { runSeed } from './run.ts'

await runFromCommandLine(runSeed)
