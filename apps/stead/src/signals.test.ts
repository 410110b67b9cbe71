import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testWith } from '@stead/testing'
import { expect, onTestFinished, vi } from 'vitest'
import { OwnMachine } from './tests/own-machine.ts'

// A busy machine may take ten times as long as an idle one.
vi.setConfig({ testTimeout: 120_000 })

const project = '/v1/projects/default%2Fdefault'
const web = `${project}/instances/web`

/** Somebody who is told, and what of. */
async function listener() {
  const told: { type: string; sequence: number }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { type, data } = JSON.parse(text) as { type: string; data: { id: string } }
    told.push({ type, sequence: Number(data.id) })
    response.end()
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

testWith(
  'bubblewrap',
  'what a service on this machine uses, how it fares and who is told of it, also when Stead is killed',
  async () => {
    const machine = await OwnMachine.start('--metrics-interval', '5s', '--outgoing-allow', '127.0.0.1/32')
    const { told, url } = await listener()
    const kinds = ['instance']
    const hook = await machine.ask('POST', `${project}/webhooks`, { name: 'chat', spec: { url, events: { kinds } } })
    expect(hook.status).toBe(201)
    // Well for a while, then not, then busy for ever.
    const life = 'touch /tmp/well; sleep 6; rm /tmp/well; sleep 4; touch /tmp/well; while :; do :; done'
    const check = { type: 'command', command: ['test', '-e', '/tmp/well'], intervalSeconds: 1, unhealthyThreshold: 1 }
    const service = { image: 'host', command: ['sh', '-c', life], healthChecks: [check], stopGraceSeconds: 0 }
    const services = { web: { ...service, env: { MARK: machine.mark }, resources: { cpuMillis: 500, memoryMiB: 64 } } }
    const spec = { region: 'local', source: { services: { services } } }
    expect((await machine.tell('POST', '', { name: 'web', spec })).status).toBe(201)
    await machine.settled('web', 'running')
    await machine.crash()

    const reasons = async () => {
      const { body } = await machine.ask('GET', `${web}/events?reason=Unhealthy,Healthy,ServiceReady,ServiceNotReady`)
      return (body as { items: { reason: string }[] }).items.map(({ reason }) => reason).toReversed()
    }
    // Whether it was seen before it was ready for the first time is a matter of moments.
    const later = async () => (await reasons()).slice(-4)
    await expect
      .poll(later, { timeout: 30_000, interval: 200 })
      .toEqual(['ServiceNotReady', 'Unhealthy', 'ServiceReady', 'Healthy'])
    await expect.poll(() => told.map(({ type }) => type), { timeout: 20_000 }).toContain('instance.Healthy')
    // In order, each for the first time; after the kill some may have come again.
    const first = [...new Set(told.map(({ sequence }) => sequence))]
    expect(first).toEqual([...first].sort((a, b) => a - b))

    const { body: usage } = await machine.ask('GET', `${web}/usage`)
    expect(usage).toMatchObject({ services: { web: { cpu: expect.any(Number), memoryBytes: expect.any(Number) } } })
    const { cpu, windowSeconds } = usage as { cpu: number; windowSeconds: number }
    expect(windowSeconds).toBeGreaterThan(0.9)
    expect(cpu).toBeGreaterThan(0.02)
    expect(cpu).toBeLessThan(1.5)
    const known = async () => {
      const { body } = await machine.ask('GET', `${web}/metrics?range=5m&step=15s&names=memoryBytes`)
      const [line] = (body as { series: { points: [number, number | null][] }[] }).series
      return line?.points.filter(([, value]) => value !== null).length ?? 0
    }
    await expect.poll(known, { timeout: 30_000, interval: 500 }).toBeGreaterThan(0)
  },
)
