import { minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { InstanceHouse, services } from '../instances/tests/house.ts'

const open = () => InstanceHouse.open({ house: { measureEvery: seconds(0.05) } })
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { interval: 50 })

test('what an instance uses now is told for it and for each service, and over which time', async () => {
  const at = await InstanceHouse.open()
  await at.running('web-1', services({ resources: { cpuMillis: 1_000, memoryMiB: 256 } }))
  const usage = await at.must(200, 'GET', '/web-1/usage')
  expect(usage).toMatchObject({
    at: expect.any(String),
    diskUsedBytes: null,
    services: { web: { diskUsedBytes: null } },
  })
  expect(usage.windowSeconds).toBeGreaterThanOrEqual(0.9)
  expect(usage.cpu).toBeGreaterThan(0.04)
  expect(usage.cpu).toBeLessThan(0.6)
  expect(usage.memoryBytes).toBeGreaterThan(1_000_000)
  expect(usage.networkSentBytesPerSecond).toBeGreaterThan(0)
  await at.must(202, 'POST', '/web-1/stop')
  await at.until('web-1', 'stopped')
  const stopped = await at.must(200, 'GET', '/web-1/usage')
  expect(stopped).toMatchObject({ cpu: null, memoryBytes: null, networkSentBytesPerSecond: null, windowSeconds: null })
})

test('a backend that is away, or leaves a sample out, is no zero', async () => {
  const at = await InstanceHouse.open()
  await at.running('web-1')
  at.cloud.script('missingSample', { times: 1 })
  expect(await at.must(200, 'GET', '/web-1/usage')).toMatchObject({ cpu: null, memoryBytes: null })
  const over = at.cloud.outage({ kind: 'outage' })
  expect((await at.call('GET', '/web-1/usage')).body).toMatchObject({ code: 'unavailable' })
  over()
  await at.must(200, 'GET', '/web-1/usage')
})

test('what it has used can be read, writes nothing to the log, survives a restart, and goes with it', async () => {
  const at = await open()
  const { metadata } = await at.running('web-1')
  const head = at.house.store.head()
  const cpu = async (query = '') =>
    (await at.must(200, 'GET', `/web-1/metrics?range=10m&names=cpu${query}`)).series as { points: [number, number][] }[]
  const count = async () => (await cpu())[0]?.points.filter(([, value]) => value !== null).length ?? 0
  await eventually(count).toBeGreaterThan(0)
  at.house.pass(minutes(2))
  await eventually(count).toBeGreaterThan(1)
  const [line] = await cpu('&step=1m')
  expect(line!.points.length).toBeGreaterThanOrEqual(10)
  expect(line!.points.some(([, value]) => value === null)).toBe(true)
  expect(at.house.store.head()).toBe(head)
  const all = (await at.must(200, 'GET', '/web-1/metrics')).series as { name: string; service?: string }[]
  expect(all.filter(({ service }) => service === 'web').map(({ name }) => name)).toContain('memoryBytes')
  expect(all.map(({ name }) => name)).not.toContain('diskUsedBytes')
  await at.house.restart()
  expect(await count()).toBeGreaterThan(1)
  await at.must(202, 'DELETE', '/web-1')
  await at.gone('web-1')
  await eventually(() => at.house.store.series.subjects({ after: '', limit: 10 })).not.toContain(metadata.id)
})

test('what was measured of an instance that went while nobody looked goes at the next start', async () => {
  const at = await InstanceHouse.open()
  await at.house.store.series.put([{ subject: 'inst_gone', track: 'usage-raw', start: 1, data: 'x' }])
  await at.house.restart()
  await eventually(() => at.house.store.series.subjects({ after: '', limit: 10 })).toEqual([])
})

test.each(['range=31d', 'range=soon', 'range=10m&step=5s', 'range=30d&step=15s', 'names=speed'])(
  '%s is refused',
  async query => {
    const at = await InstanceHouse.open()
    await at.create('web-1')
    expect((await at.call('GET', `/web-1/metrics?${query}`)).status).toBe(400)
  },
)
