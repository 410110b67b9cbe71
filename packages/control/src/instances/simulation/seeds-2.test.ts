import { expectSeedsToHold } from './seeds.suite.ts'

expectSeedsToHold({ first: 251, count: 250 })
