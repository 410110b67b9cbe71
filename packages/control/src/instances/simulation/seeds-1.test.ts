import { expectSeedsToHold } from './seeds.suite.ts'

expectSeedsToHold({ first: 1, count: 250 })
