import { shardCount } from '@stead/engine'
import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'

test('tells of a lone node on its file', async () => {
  const house = await IdentityHouse.open()
  await expect.poll(() => house.engine.shards().length).toBe(shardCount)
  const { node, nodes, store } = await house.must(200, 'GET', '/v1/system')
  const { nodeId } = house.engine
  expect(node).toMatchObject({ id: nodeId, version: { version: '0.0.0', node: process.version }, ready: true })
  expect(node).toMatchObject({ reasons: [], revision: house.store.head(), objects: house.engine.cache.size, stuck: [] })
  expect(node.lagSeconds).toBeLessThan(5)
  expect(node.controllers.map(({ name }: { name: string }) => name)).toContain('project-teardown')
  expect(nodes).toEqual([
    { id: nodeId, shards: [...house.engine.shards()], duties: ['maintenance'], leaseSeconds: expect.any(Number) },
  ])
  expect(nodes[0].leaseSeconds).toBeGreaterThan(0)
  expect(nodes[0].leaseSeconds).toBeLessThanOrEqual(12)
  expect(store).toEqual({
    database: 'sqlite',
    version: process.versions.sqlite,
    id: house.store.identity.storeId,
    path: expect.stringContaining(house.directory),
    epoch: 1,
    observeOnly: false,
    head: house.store.head(),
    compacted: 0,
    waitingCommits: 0,
    warnings: [],
  })
})
