import { expectSeedsToHold } from '../../simulation/seeds.suite.ts'
import { runSeed } from './run.ts'

expectSeedsToHold(runSeed, { first: 1, count: 60, atOnce: 10, command: 'sim:servers' })
