import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeWith, freePort, PostgresCluster, RunningStead } from '@stead/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Collector, type Received } from './tests/collector.ts'

// A busy machine may take ten times as long as an idle one.
vi.setConfig({ testTimeout: 120_000 })

const project = '/v1/projects/default%2Fdefault'
const client = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${client.traceId}-${client.spanId}-01`
const patient = { timeout: 60_000, interval: 100 }

type Ask = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Response>

const asking =
  (stead: RunningStead): Ask =>
  (method, path, body, headers) => {
    const type = body && { 'content-type': 'application/json' }
    const sent = { authorization: `Bearer ${stead.token}`, ...type, ...headers }
    return fetch(stead.url + path, { method, headers: sent, ...(body && { body: JSON.stringify(body) }) })
  }

const create = (ask: Ask, name: string, env: Record<string, string> = {}) => {
  const source = { services: { services: { web: { image: 'any', command: ['run'], env } } } }
  return ask('POST', `${project}/instances`, { name, spec: { region: 'simulated', source } }, { traceparent })
}

/** Somebody who is told of what happens, and in which trace. */
async function listener() {
  const told: { traceparent: string | undefined; type: string; event: { traceparent?: string } }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { type, data } = JSON.parse(text)
    told.push({ traceparent: request.headers.traceparent as string | undefined, type, event: data })
    response.end()
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=door-key` }
}

/** The rows of the table in the docs: what a span is called, and everything that is said of it. */
function documented() {
  const page = readFileSync(new URL('../../../docs/traces.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|$/gm)].filter(([, , rest]) =>
    /stead\./.test(rest!),
  )
  return rows.map(([, name, rest]) => ({
    name: name!,
    pattern: new RegExp(`^${name!.replace('<method>', '[A-Z]+').replaceAll(/<\w+>/g, '\\S+')}$`),
    attributes: [...rest!.matchAll(/`((?:http|db|server|stead)\.[a-z._]+)`/g)].map(([, key]) => key!),
  }))
}

function suite(where: () => { readonly args: readonly string[]; readonly database: string }): void {
  const start = (...args: readonly string[]) =>
    RunningStead.start({
      args: ['--simulated-region', ...where().args, ...args],
      env: { STEAD_SEAL_KEY: randomBytes(32).toString('base64') },
    })

  test('all that is done for a request is one trace, from the caller to the backend and the webhook', async () => {
    const collector = await Collector.start()
    const { told, url } = await listener()
    const stead = await start(
      ...['--traces-endpoint', collector.url, '--traces-headers', 'x-key=collector-key'],
      ...['--outgoing-allow', '127.0.0.1/32'],
    )
    const ask = asking(stead)
    const events = { types: ['instance.Running'] }
    expect((await ask('POST', `${project}/webhooks`, { name: 'chat', spec: { url, events } })).status).toBe(201)
    const made = await create(ask, 'web', { MARK: 'of-the-tenant' })
    expect(made.status).toBe(201)
    expect(made.headers.get('traceparent')).toMatch(new RegExp(`^00-${client.traceId}-[0-9a-f]{16}-01$`))
    const taken = await create(ask, 'web')
    expect(taken.status).toBe(409)
    expect((await ask('GET', `${project}/instances/web/wait?phase=running&timeout=60s`)).status).toBe(200)

    const trace = () => collector.spans.filter(({ traceId }) => traceId === client.traceId)
    const named = (name: string) => trace().filter(span => span.name === name)
    const done = () => [named('operation create').length, named('webhook').length, told.length]
    await expect.poll(done, patient).toEqual([1, 1, 1])
    // All of the last reconcile was sent with the webhook or before it, or is sent with the next.
    const whole = () => trace().every(({ parentSpanId }) => parentSpanId === client.spanId || above(parentSpanId!))
    const above = (id: string) => trace().find(({ spanId }) => spanId === id)
    await expect.poll(whole, patient).toBe(true)

    const request = named('POST /v1/projects/:project/instances').find(
      ({ attributes }) => attributes['http.response.status_code'] === '201',
    )!
    expect(request).toMatchObject({ parentSpanId: client.spanId, kind: 2 })
    expect(made.headers.get('traceparent')).toContain(request.spanId)
    const below = (span: Received) => trace().filter(({ parentSpanId }) => parentSpanId === span.spanId)
    const nameOf = ({ name }: Received) => name
    expect(below(request).map(nameOf)).toEqual(expect.arrayContaining(['commit', 'operation create']))
    const [operation] = named('operation create') as [Received]
    expect(new Set(below(operation).map(nameOf))).toEqual(new Set(['reconcile instances', 'reconcile servers']))
    const [launch, ...more] = named('provider launch')
    expect(more).toEqual([])
    expect(above(launch!.parentSpanId!)).toMatchObject({ name: 'reconcile servers' })
    expect(launch).toMatchObject({ attributes: { 'stead.region': 'simulated' }, kind: 3 })
    for (const commit of named('commit')) {
      expect(commit.attributes['db.system.name']).toBe(where().database)
      expect(above(commit.parentSpanId!)!.name).toMatch(/^(POST|reconcile) /)
    }
    const [webhook] = named('webhook') as [Received]
    expect(told[0]).toMatchObject({
      type: 'instance.Running',
      traceparent: `00-${client.traceId}-${webhook.spanId}-01`,
      event: { traceparent: `00-${client.traceId}-${webhook.parentSpanId}-01` },
    })
    expect(above(webhook.parentSpanId!)).toMatchObject({ name: 'reconcile instances' })
    for (const span of trace()) {
      const parent = above(span.parentSpanId!)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
      // Both by one clock; an operation's times are those in the store, to the millisecond.
      if (parent && !/^operation|webhook/.test(`${parent.name} ${span.name}`))
        expect(Number(span.startTimeUnixNano) - Number(parent.startTimeUnixNano)).toBeGreaterThanOrEqual(0)
    }

    const rows = documented()
    const said = new Map(rows.map(({ name }) => [name, new Set<string>()]))
    for (const { name, attributes } of collector.spans) {
      const row = rows.find(({ pattern }) => pattern.test(name))
      expect(row, `docs/traces.md has no span ${name}`).toBeDefined()
      for (const key of Object.keys(attributes).filter(each => each !== 'error.type')) {
        expect(row!.attributes, `docs/traces.md, ${row!.name}`).toContain(key)
        said.get(row!.name)!.add(key)
      }
    }
    for (const { name, attributes } of rows) expect([...said.get(name)!].sort()).toEqual([...attributes].sort())

    expect(collector.text).toContain('"x-key":"collector-key"')
    for (const secret of [stead.token, 'of-the-tenant', 'door-key']) expect(collector.text).not.toContain(secret)
    expect(stead.log).not.toContain('collector-key')
    const metrics = await (await fetch(`${stead.url}/metrics`)).text()
    expect(metrics).toMatch(/stead_trace_spans_total\{result="exported"\} [1-9]/)
    expect(metrics).toContain('stead_trace_spans_total{result="dropped"} 0\n')
  })

  test('what a Stead does that was started after a kill is in the trace of the request that it goes on with', async () => {
    const collector = await Collector.start()
    const stead = await start('--traces-endpoint', collector.url)
    expect((await create(asking(stead), 'web')).status).toBe(201)
    await stead.kill()
    const before = new Set(collector.spans.map(({ sender }) => sender))
    await stead.startAgain()
    const waited = await asking(stead)('GET', `${project}/instances/web/wait?phase=running&timeout=60s`)
    expect(waited.status).toBe(200)
    const later = (name: string) =>
      collector.spans.find(span => span.traceId === client.traceId && span.name === name && !before.has(span.sender))
    await expect.poll(() => later('operation create'), patient).toBeDefined()
    const launch = later('provider launch')!
    const reconcile = collector.spans.find(({ spanId }) => spanId === launch.parentSpanId)!
    expect(reconcile).toMatchObject({ name: 'reconcile servers', traceId: client.traceId })
    expect(reconcile.parentSpanId).toBe(later('operation create')!.spanId)
  })
}

describe('on SQLite', () => suite(() => ({ args: [], database: 'sqlite' })))

describeWith('embedded postgresql', 'on PostgreSQL', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  })
  afterAll(() => cluster.stop())
  const schema = () => `traces_${randomUUID().slice(0, 8)}`
  suite(() => ({ args: ['--database', cluster.url(), '--database-schema', schema()], database: 'postgresql' }))
})

test('nobody waits for a collector that is away, and it gets what waited when it is back', async () => {
  const port = await freePort()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_SERVICE_NAME: 'house' }
  const stead = await RunningStead.start({ args: ['--simulated-region'], env })
  const ask = asking(stead)
  expect((await create(ask, 'web')).status).toBe(201)
  expect((await ask('GET', `${project}/instances/web/wait?phase=running&timeout=60s`)).status).toBe(200)
  expect((await fetch(`${stead.url}/readyz`)).status).toBe(200)
  await expect.poll(() => stead.log, patient).toContain('traces are not taken')
  const collector = await Collector.start(port)
  await expect.poll(() => collector.spans.map(({ name }) => name), patient).toContain('operation create')
  expect(collector.text).toContain('{"key":"service.name","value":{"stringValue":"house"}}')
})
