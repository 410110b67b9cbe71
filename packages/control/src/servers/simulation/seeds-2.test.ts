import { expectSeedsToHold } from './seeds.suite.ts'

expectSeedsToHold({ first: 51, count: 50 })
