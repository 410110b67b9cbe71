import { expectSeedsToHold } from './seeds.suite.ts'

expectSeedsToHold({ first: 201, count: 80, nodes: 1 })
