import { readdirSync } from 'node:fs'
import { simulatedProvider } from '@stead/provider-kit/simulated'
import { describeWith, temporaryDirectory } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openTwoNodes } from '../identity/tests/two-nodes.ts'
import { shop } from '../networks/tests/network-house.ts'
import { secretKey, simulatedCloud } from '../regions/tests/region-house.ts'
import { content, putContent, sha256 } from './tests/image-house.ts'

describeWith('embedded postgresql', 'images of two nodes on one PostgreSQL', () => {
  test('what one node has taken, the other makes: they share where it is staged', { timeout: 120_000 }, async () => {
    const cloud = simulatedCloud()
    const staging = temporaryDirectory()
    const two = await openTwoNodes({ providers: [simulatedProvider(() => cloud)], fetching: { staging } })
    onTestFinished(() => two.close())
    const [house] = two.nodes
    await house.organization('acme')
    await house.project('acme', 'shop')
    await house.must(201, 'POST', '/v1/regions', {
      body: { name: 'sky', spec: { provider: 'simulated', credentials: { key: secretKey } } },
    })
    const source = { upload: { sizeBytes: content.length, sha256: sha256(content) } }
    // Enough that each node has some of them among its shards.
    const names = Array.from({ length: 12 }, (_, index) => `own-${index}`)
    for (const name of names) {
      await house.must(201, 'POST', `${shop}/images`, { body: { name, spec: { region: 'sky', source } } })
      expect(await putContent(house, name, content)).toMatchObject({ status: 200 })
    }
    const states = async () => {
      const { items } = await house.must(200, 'GET', `${shop}/images`)
      return [...new Set(items.map(({ status }: { status: { state: string } }) => status.state))]
    }
    await expect.poll(states, { timeout: 30_000 }).toEqual(['ready'])
    expect([...cloud.account().images.roster]).toHaveLength(names.length)
    await expect.poll(() => readdirSync(staging)).toEqual([])
  })
})
