import assert from 'node:assert/strict'
import { millis } from '@stead/world'
import type { MetricsSample, Usage } from '../../groups/metrics.ts'
import { promises } from '../promise.ts'

const counters = [
  'cpuSeconds',
  'diskReadBytes',
  'diskWrittenBytes',
  'networkReceivedBytes',
  'networkSentBytes',
] as const

function everyUsage({ total, services }: MetricsSample): [string, Usage][] {
  return [['in all', total], ...Object.entries(services)]
}

export const metricsPromises = promises('metrics', {
  async 'a sample is plausible, and what is unknown is null'(bench) {
    const { id } = await bench.running({ source: bench.fixture('metrics').source })
    await bench.world.sleep(millis(1_000))
    const sample = (await bench.provider.metrics!([id])).get(id)
    assert.ok(sample, 'nothing is said of a running server')
    assert.ok(Math.abs(sample.at - bench.world.now()) < 60_000, `sampled at ${sample.at}`)
    for (const [whose, usage] of everyUsage(sample))
      for (const [name, value] of Object.entries(usage))
        assert.ok(value === null || (Number.isFinite(value) && value >= 0), `${name} ${whose} is ${value}`)
    const { memoryBytes, memoryLimitBytes, cpuSeconds, cpuMillis } = sample.total
    assert.ok(memoryBytes !== null && memoryBytes > 0, 'it uses memory')
    assert.ok(memoryLimitBytes === null || memoryBytes <= memoryLimitBytes, 'it uses more memory than it has')
    assert.ok(cpuSeconds !== null || cpuMillis !== null, 'nothing is said of its processor')
  },

  async 'counters never go back while a server runs'(bench) {
    const { id } = await bench.running({ source: bench.fixture('metrics').source })
    let last: Usage | undefined
    for (let round = 0; round < 3; round++) {
      await bench.world.sleep(millis(200))
      const { total } = (await bench.provider.metrics!([id])).get(id)!
      for (const name of counters)
        if (last?.[name] != null && total[name] !== null) assert.ok(total[name] >= last[name], `${name} went back`)
      last = total
    }
  },

  async 'a server that does not run has no numbers, not zeros'(bench) {
    const { id } = await bench.stopped({ source: bench.fixture('metrics').source })
    const sample = (await bench.provider.metrics!([id])).get(id)
    if (!sample) return
    for (const name of ['cpuMillis', 'memoryBytes'] as const) assert.equal(sample.total[name], null, name)
  },

  async 'what is gone is missing from the answer'(bench) {
    const { id } = await bench.running({ source: bench.fixture('metrics').source })
    const samples = await bench.provider.metrics!([id, 'never-seen'])
    assert.deepEqual([...samples.keys()], [id])
  },
})
