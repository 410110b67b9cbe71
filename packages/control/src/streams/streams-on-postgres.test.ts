import { simulatedProvider } from '@stead/provider-kit/simulated'
import { describeWith } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EventClient } from '../door/tests/event-client.ts'
import type { IdentityHouse } from '../identity/tests/house.ts'
import { openTwoNodes, type TwoNodes } from '../identity/tests/two-nodes.ts'
import { services } from '../instances/tests/house.ts'
import { secretKey, simulatedCloud } from '../regions/tests/region-house.ts'
import { SocketClient } from './tests/socket-client.ts'

const web = '/v1/projects/acme%2Fshop/instances/web-1'

describeWith('embedded postgresql', 'two nodes', () => {
  let two: TwoNodes

  beforeAll(async () => {
    const cloud = simulatedCloud()
    two = await openTwoNodes({ providers: [simulatedProvider(() => cloud)] })
    const [first] = two.nodes
    await first.organization('acme')
    await first.project('acme', 'shop')
    const spec = { provider: 'simulated', credentials: { key: secretKey } }
    await first.must(201, 'POST', '/v1/regions', { body: { name: 'sim', spec } })
    const body = { name: 'web-1', spec: services() }
    await first.must(201, 'POST', '/v1/projects/acme%2Fshop/instances', { body })
    await first.must(200, 'GET', `${web}/wait?phase=running&timeout=30s`)
  }, 60_000)
  afterAll(() => two.close())

  const ask = async (node: IdentityHouse, command: readonly string[]): Promise<string> =>
    (await node.must(201, 'POST', `${web}/exec`, { body: { command } })).url

  test('a ticket of one opens at the other, at once', async () => {
    const [first, second] = two.nodes
    for (let round = 0; round < 10; round++) {
      const client = await SocketClient.open(second.url + (await ask(first, ['exit', String(round)])))
      expect((await client.exit()).code).toBe(round)
    }
  })

  test('a ticket opens once, at whichever it is tried', async () => {
    for (let round = 0; round < 10; round++) {
      const path = await ask(two.nodes[round % 2]!, ['echo'])
      const tries = await Promise.allSettled(
        two.nodes.flatMap(({ url }) => [SocketClient.open(url + path), SocketClient.open(url + path)]),
      )
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const each of tries) if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 404 })
    }
  })

  test('what is open at one is cut by what is withdrawn at the other', async () => {
    const [first, second] = two.nodes
    const ci = await first.account('acme', 'ci', { role: 'developer' })
    const { url } = await first.must(201, 'POST', `${web}/exec`, { body: { command: ['cat'] }, token: ci.token })
    const client = await SocketClient.open(second.url + url)
    await client.until(() => client.controls.length > 0)
    await first.must(202, 'DELETE', `${ci.path}/tokens/${ci.tokenId}`)
    expect(await client.closed).toMatchObject({ code: 1008 })
  })

  test('a log that was begun at one goes on at the other', async () => {
    const [first, second] = two.nodes
    const print = async (...lines: readonly string[]) => {
      for (const line of lines) {
        const client = await SocketClient.open(first.url + (await ask(first, ['print', line])))
        await client.exit()
      }
    }
    const follow = (node: IdentityHouse, headers = {}) =>
      EventClient.open(node.admin, `${node.url}${web}/logs?follow=true&tail=0`, { headers })
    const begun = await follow(first)
    await print('one', 'two')
    await begun.until(({ data }) => data.line === 'two')
    begun.leave()
    await print('three')
    const again = await follow(second, { 'last-event-id': begun.events.at(-1)!.id! })
    await print('four')
    await again.until(({ data }) => data.line === 'four')
    expect([...begun.events, ...again.events].map(({ data }) => data.line)).toEqual(['one', 'two', 'three', 'four'])
  })
})
