import { describeWith } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EventClient } from '../door/tests/event-client.ts'
import type { IdentityHouse } from './tests/house.ts'
import { openTwoNodes, type TwoNodes } from './tests/two-nodes.ts'

describeWith('embedded postgresql', 'two nodes on one PostgreSQL', () => {
  let two: TwoNodes
  let nodes: TwoNodes['nodes']

  beforeAll(async () => {
    two = await openTwoNodes()
    nodes = two.nodes
  }, 120_000)
  afterAll(() => two.close())

  test('starting together they made one house, and one admin', async () => {
    for (const node of nodes) {
      const { items } = await node.must(200, 'GET', '/v1/organizations')
      expect(items).toHaveLength(1)
      expect(node.engine.cache.platform().count({ kind: 'token' })).toBe(1)
    }
  })

  test('a name is taken once, whichever node is asked', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        nodes[index % 2 ? 0 : 1].call('POST', '/v1/organizations', { body: { name: 'acme' } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)])
  })

  test('a token revoked on one node opens nothing on the other, and what it had open there ends', async () => {
    const [here, there] = nodes
    await here.organization('globex')
    await here.project('globex', 'shop')
    const ci = await here.account('globex', 'ci', { role: 'reader' })
    const headers = { 'stead-revision': String(here.engine.cache.revision) }
    await there.must(200, 'GET', '/v1/projects/globex%2Fshop', { token: ci.token, headers })
    const client = await EventClient.open(ci.token, `${there.url}/v1/projects/globex%2Fshop/watch`)
    expect(client.status).toBe(200)
    await here.must(202, 'DELETE', `${ci.path}/tokens/${ci.tokenId}`)
    expect((await client.until(({ event }) => event === 'end'))?.data).toMatchObject({ reason: 'rights_withdrawn' })
    await there.must(401, 'GET', '/v1/whoami', { token: ci.token })
  })

  test('an organization that both nodes fill while it ends leaves nothing behind', async () => {
    const [here, there] = nodes
    const { metadata } = await here.organization('initech')
    const make = (node: IdentityHouse, name: string) =>
      node.call('POST', `/v1/organizations/${metadata.id}/projects`, { body: { name } })
    const making = Array.from({ length: 20 }, (_, index) => make(index % 2 ? here : there, `p${index}`))
    await there.call('DELETE', `/v1/organizations/${metadata.id}?cascade=true`, {
      headers: { 'stead-revision': String(here.engine.cache.revision) },
    })
    const answers = await Promise.all(making)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    for (const node of nodes) {
      await expect
        .poll(() => node.engine.cache.inOrganization(metadata.id).kinds(), { timeout: 30_000, interval: 50 })
        .toEqual([])
    }
  })
})
