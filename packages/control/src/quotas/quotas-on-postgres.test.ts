import { openPostgresStore } from '@stead/engine'
import { describeWith, PostgresCluster } from '@stead/testing'
import { realWorld } from '@stead/world'
import { afterAll, beforeAll } from 'vitest'
import { quotaSuite } from './quotas.suite.ts'

describeWith('embedded postgresql', 'with two nodes', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  })
  afterAll(() => cluster.stop())

  quotaSuite('PostgreSQL', {
    nodes: 2,
    inOrder: true,
    create: async () => ({
      open: () => openPostgresStore({ url: cluster.url(), world: realWorld }),
      destroy: async () => {},
    }),
  })
})
