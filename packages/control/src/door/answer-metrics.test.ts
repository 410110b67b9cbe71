import { createMetrics } from '@stead/engine'
import { millis } from '@stead/world'
import { expect, test } from 'vitest'
import { AnswerMetrics } from './answer-metrics.ts'

test('answers are counted by their class and timed by their route, and every series is there before the first', () => {
  const metrics = createMetrics()
  const meter = new AnswerMetrics(metrics).of('GET', '/v1/widgets/:widget')
  const counted = (of: string) =>
    metrics.expose().split('\n').includes(`stead_http_answers_total{method="GET",route="/v1/widgets/:widget",${of}`)
  for (const each of ['2xx', '3xx', '4xx', '5xx']) expect(counted(`class="${each}"} 0`), each).toBe(true)
  meter.answered(200, millis(2))
  meter.answered(201, millis(2))
  meter.answered(304, millis(2))
  meter.answered(503, millis(2_000))
  expect(counted('class="2xx"} 2')).toBe(true)
  expect(counted('class="3xx"} 1')).toBe(true)
  expect(counted('class="4xx"} 0')).toBe(true)
  expect(counted('class="5xx"} 1')).toBe(true)
  const labels = 'method="GET",route="/v1/widgets/:widget"'
  const duration = 'stead_http_answer_duration_seconds'
  expect(metrics.expose()).toContain(`${duration}_bucket{${labels},le="0.0025"} 3\n`)
  expect(metrics.expose()).toContain(`${duration}_count{${labels}} 4\n`)
})
