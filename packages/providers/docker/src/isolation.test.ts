import type { Provider } from '@stead/provider-kit'
import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine, podmanEngine } from '@stead/testing/engines'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, eventually, orderOf, printed, sleeper, until, web } from './tests/region.ts'

for (const kind of [dockerEngine, podmanEngine])
  describeWith(kind.name, `instances on ${kind.name}`, () => {
    let engine: ContainerEngine
    let provider: Provider
    beforeAll(async () => {
      engine = await ContainerEngine.start(kind)
      provider = await connect(engine)
    }, 120_000)
    afterAll(async () => {
      await provider?.close()
      await engine?.close()
    }, 120_000)

    async function running(source: typeof web): Promise<{ readonly id: string; readonly address: string }> {
      const { spec, token } = orderOf(source)
      const { id } = await provider.launch(spec, token)
      const { addresses } = await until(provider, id, 'running')
      return { id, address: addresses.private[0]! }
    }

    test('reach themselves, and not each other', { timeout: 120_000 }, async () => {
      const [first, two] = [await running(web), await running(web)]
      // Whoever connects looks at all networks, and what is started after that is as apart as before.
      const later = await connect(engine)
      await later.watch!({ tags: {} })[Symbol.asyncIterator]().next()
      await later.close()
      await provider.stop(first.id)
      await until(provider, first.id, 'stopped')
      await provider.start(first.id)
      const { id, addresses } = await until(provider, first.id, 'running')
      const one = { id, address: addresses.private[0]! }
      const ask = (from: string, to: string) =>
        printed(provider, from, ['sh', '-c', `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${to} 8080`])
      for (const { id, address } of [one, two])
        await eventually('it to listen', async () => (await ask(id, address)).includes('here'))
      expect(one.address).not.toBe(two.address)
      expect(await ask(one.id, two.address)).not.toContain('here')
      expect(await ask(two.id, one.address)).not.toContain('here')
      for (const { id } of [one, two]) await provider.terminate(id)
      await eventually('both to be gone', async () => (await engine.everything()).length === 0)
    })
  })

describeWith('docker', 'a hundred instances at once', () => {
  test('all come to run, none twice, and nothing is left of them', { timeout: 600_000 }, async () => {
    const engine = await ContainerEngine.start(dockerEngine)
    const provider = await connect(engine)
    try {
      const orders = Array.from({ length: 100 }, () => orderOf(sleeper))
      const launched = await Promise.all(orders.map(({ spec, token }) => provider.launch(spec, token)))
      expect(new Set(launched.map(({ id }) => id)).size).toBe(100)
      const wanted = { tags: { 'stead.control-plane': 'cp-test' }, states: ['running'] as const }
      const count = async () => {
        let found = 0
        for await (const page of provider.list(wanted)) found += page.length
        return found
      }
      await expect.poll(count, { timeout: 300_000, interval: 1_000 }).toBe(100)
      const all = await engine.call<{ Names: string[] }[]>('GET', '/containers/json')
      expect(all.length).toBe(100)
      await Promise.all(launched.map(({ id }) => provider.terminate(id)))
      await expect.poll(() => engine.everything(), { timeout: 300_000, interval: 1_000 }).toEqual([])
    } finally {
      await provider.close()
      await engine.close()
    }
  })
})
