import { expectSeedsToHold } from '../../simulation/seeds.suite.ts'
import { runSeed } from './run.ts'

expectSeedsToHold(runSeed, { first: 61, count: 40, atOnce: 10, command: 'sim:servers' })
