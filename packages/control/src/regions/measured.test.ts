import { createMetrics } from '@stead/engine'
import { type Provider, ProviderError } from '@stead/provider-kit'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { measured, providerMetrics } from './measured.ts'

class Backend {
  readonly #secret = 7
  readonly networks = { create: async () => ({ id: `net_${this.#secret}` }) }
  capabilities() {
    return { groups: {} }
  }
  async launch(name: string) {
    if (name === 'full') throw new ProviderError('Capacity', 'no room')
    return { id: name, secret: this.#secret }
  }
  async *list() {
    yield [1]
    yield [2]
  }
  async *watch() {
    yield 'never counted'
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('each call to a backend is counted by what came of it, and does what it did', async () => {
  const metrics = createMetrics()
  const provider = measured(
    new Backend() as unknown as Provider,
    { region: 'sky', kind: 'weather' },
    { metrics: providerMetrics(metrics), world: realWorld },
  )
  const backend = provider as unknown as Backend
  expect(await backend.launch('a')).toEqual({ id: 'a', secret: 7 })
  await expect(backend.launch('full')).rejects.toThrow('no room')
  expect(await backend.networks.create()).toEqual({ id: 'net_7' })
  expect(await all(backend.list())).toEqual([[1], [2]])
  expect(await all(backend.watch())).toHaveLength(1)
  expect(backend.capabilities()).toEqual({ groups: {} })
  const counted = metrics
    .expose()
    .split('\n')
    .filter(line => line.startsWith('stead_provider_calls_total'))
    .map(line => line.replace('stead_provider_calls_total{region="sky",', ''))
  expect(counted.sort()).toEqual([
    'verb="launch",result="Capacity"} 1',
    'verb="launch",result="done"} 1',
    'verb="list",result="done"} 1',
    'verb="networks.create",result="done"} 1',
  ])
})
