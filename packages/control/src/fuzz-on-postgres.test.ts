import { openPostgresStore } from '@stead/engine'
import { describeWith, PostgresCluster } from '@stead/testing'
import { realWorld } from '@stead/world'
import { afterAll, beforeAll, test } from 'vitest'
import { fuzzRooms } from './tests/fuzz/house.ts'

describeWith('embedded postgresql', 'on PostgreSQL', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  })
  afterAll(() => cluster.stop())

  test(
    'made-up requests: none fails, none is answered against the document, none brings a secret to light',
    {
      timeout: 600_000,
    },
    () => fuzzRooms(3_000, () => openPostgresStore({ url: cluster.url(), world: realWorld })),
  )
})
