import { expectSeedsToHold } from '../../simulation/seeds.suite.ts'
import { runSeed } from './run.ts'

expectSeedsToHold(runSeed, { first: 51, count: 50, atOnce: 10, command: 'sim:servers' })
