import { simulatedProvider } from '@stead/provider-kit/simulated'
import { describeWith } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTwoNodes, type TwoNodes } from '../identity/tests/two-nodes.ts'
import { registerRegion } from './register.ts'
import { simulatedCloud } from './tests/region-house.ts'

const cloud = simulatedCloud()
const patience = { timeout: 20_000, interval: 50 }

describeWith('embedded postgresql', 'regions of two nodes on one PostgreSQL', () => {
  let two: TwoNodes
  let nodes: TwoNodes['nodes']

  beforeAll(async () => {
    two = await openTwoNodes({ providers: [simulatedProvider(() => cloud)] })
    nodes = two.nodes
  }, 120_000)
  afterAll(() => two.close())

  test('what both find when they start together is registered once, and one region is the default', async () => {
    const found = ['a', 'b', 'c'].map(name => ({ name, provider: 'simulated', credentials: { key: 'simulated' } }))
    const outcomes = await Promise.all(
      nodes.flatMap(node => found.map(region => registerRegion(region, node.registering()))),
    )
    expect(outcomes.sort()).toEqual(['known', 'known', 'known', 'registered', 'registered', 'registered'])
    for (const node of nodes) {
      await expect.poll(() => node.engine.cache.platform().count({ kind: 'region' }), patience).toBe(3)
      const { items } = await node.must(200, 'GET', '/v1/regions')
      expect(items.filter(({ status }: { status: { isDefault: boolean } }) => status.isDefault)).toHaveLength(1)
    }
  })

  test('one node asks after a region and both know its health; each offers its catalog, and lets go when it ends', async () => {
    for (const node of nodes)
      await expect
        .poll(async () => (await node.must(200, 'GET', '/v1/regions/a')).status.health, patience)
        .toBe('healthy')
    for (const node of nodes) expect((await node.must(200, 'GET', '/v1/regions/a/flavors')).total).toBe(3)
    const [here, there] = nodes
    const region = there.engine.cache.platform().list({ kind: 'region', name: 'a' }).items[0]!
    const kept = () => nodes.map(node => node.registering().clients.has(region.id))
    expect(kept()).toEqual([true, true])
    await here.must(202, 'DELETE', '/v1/regions/a')
    await expect.poll(kept, patience).toEqual([false, false])
  })

  test('a default that both decide at once is one of the two', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        nodes[n % 2 ? 0 : 1].call('POST', `/v1/regions/${n % 3 ? 'b' : 'c'}/make-default`),
      ),
    )
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const { items } = await nodes[0].must(200, 'GET', '/v1/regions')
    expect(items.filter(({ status }: { status: { isDefault: boolean } }) => status.isDefault)).toHaveLength(1)
  })
})
