import { openPostgresStore, shardCount } from '@stead/engine'
import { describeWith, PostgresCluster } from '@stead/testing'
import { realWorld } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'

interface Node {
  readonly id: string
  readonly shards: readonly number[]
}

const soon = { timeout: 30_000, interval: 50 }

describeWith('embedded postgresql', 'two nodes on one PostgreSQL', () => {
  let cluster: PostgresCluster
  let here: IdentityHouse
  let there: IdentityHouse
  const openHouse = () =>
    IdentityHouse.openForAll({ openStore: () => openPostgresStore({ url: cluster.url(), world: realWorld }) })
  const ask = (house: IdentityHouse) => house.must(200, 'GET', '/v1/system', { token: here.admin })

  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
    here = await openHouse()
    there = await openHouse()
  }, 120_000)
  afterAll(async () => {
    await here.close()
    await cluster.stop()
  })

  test('each tells of itself, and both of each other', async () => {
    const ids = [here, there].map(({ engine }) => engine.nodeId).sort()
    for (const house of [here, there]) {
      await expect
        .poll(async () => (await ask(house)).nodes.map((node: Node) => node.shards.length), soon)
        .toEqual([shardCount / 2, shardCount / 2])
      const { node, nodes, store } = await ask(house)
      expect(node.id).toBe(house.engine.nodeId)
      expect(nodes.map(({ id }: Node) => id)).toEqual(ids)
      expect(nodes.flatMap(({ duties }: { duties: string[] }) => duties)).toEqual(['maintenance'])
      expect(nodes.find(({ id }: Node) => id === node.id).shards).toEqual(node.shards)
      expect(store).toMatchObject({ database: 'postgresql', name: 'postgres', schema: 'stead', observeOnly: false })
      expect(store).toMatchObject({ head: house.store.head(), compacted: 0, epoch: 1, waitingCommits: 0 })
      expect(store.warnings).toEqual([expect.stringContaining('fsync is off')])
      expect(store.lagSeconds).toBeLessThan(5)
    }
    await expect.poll(async () => (await ask(here)).store.notifications, soon).toBe('working')
  })

  test('one that has left is no longer told of, and the other holds everything', async () => {
    await there.close()
    await expect
      .poll(async () => (await ask(here)).nodes.map((node: Node) => node.shards.length), soon)
      .toEqual([shardCount])
  })
})
