import { expectSeedsToHold } from './seeds.suite.ts'

expectSeedsToHold({ first: 101, count: 100, nodes: 3 })
