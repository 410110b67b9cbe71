import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMetrics, type EndedSpan } from '@stead/engine'
import { realWorld } from '@stead/world'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { Collector } from '../tests/collector.ts'
import { Exporter } from './exporter.ts'
import { traceMetrics } from './metrics.ts'

const span = (number: number): EndedSpan => ({
  ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: number.toString(16).padStart(16, '0'), name: 'one' },
  ...{ start: 1_794_751_200_000.25, end: 1_794_751_200_001, attributes: {} },
})

/** A collector that answers in its own way, or not at all. */
async function odd(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function exporterTo(url: string) {
  const metrics = createMetrics()
  const origin = { resource: { 'service.name': 'stead' }, version: '1' }
  const exporter = new Exporter({
    ...{ ...origin, endpoint: { url, headers: {} }, world: realWorld, log: pino({ level: 'silent' }) },
    metrics: traceMetrics(metrics),
  })
  const count = (result: string) =>
    Number(new RegExp(`stead_trace_spans_total\\{result="${result}"\\} (\\d+)`).exec(metrics.expose())?.[1])
  return { exporter, count }
}

test('what is taken before the end is sent, each span once, in nanoseconds', async () => {
  const collector = await Collector.start()
  const { exporter, count } = exporterTo(collector.url)
  for (let number = 1; number <= 1_500; number++) exporter.take(span(number))
  await exporter.close()
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(1_500)
  expect(collector.spans).toHaveLength(1_500)
  expect(collector.spans[0]).toMatchObject({
    startTimeUnixNano: '1794751200000250000',
    endTimeUnixNano: '1794751200001000000',
  })
  expect([count('exported'), count('dropped'), count('failed')]).toEqual([1_500, 0, 0])
})

test('with a collector that does not answer, so many wait and the rest is dropped and counted', async () => {
  const { exporter, count } = exporterTo(await odd(() => {}))
  for (let number = 1; number <= 6_000; number++) exporter.take(span(number))
  // 512 are on their way, 4,096 wait.
  expect(count('dropped')).toBe(6_000 - 512 - 4_096)
  await exporter.close()
  // What was on its way had lost its place to those that came after it.
  expect([count('exported'), count('dropped'), count('failed')]).toEqual([0, 6_000 - 4_096, 4_096])
})

test('what a collector refuses for good is not sent again, and the next is', async () => {
  let answered = 0
  const url = await odd((request, response) => {
    request.resume()
    response.writeHead(answered++ === 0 ? 400 : 200).end()
  })
  const { exporter, count } = exporterTo(url)
  for (let number = 1; number <= 600; number++) exporter.take(span(number))
  await exporter.close()
  expect([count('exported'), count('failed'), answered]).toEqual([88, 512, 2])
})
