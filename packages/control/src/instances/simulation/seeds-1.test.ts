import { expectSeedsToHold } from '../../simulation/seeds.suite.ts'
import { runSeed } from './run.ts'

expectSeedsToHold(runSeed, { first: 1, count: 250, atOnce: 25, command: 'sim:instances' })
