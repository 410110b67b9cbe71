import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalogue } from '../errors/index.ts'
import { shareHouse } from './tests/shop.ts'

const openShop = shareHouse()

/** Close to a widget, but for a field or two that hold anything at all. */
const almostWidget = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc
    .record(
      {
        name: fc.oneof(fc.constantFrom('w1', 'w2'), fc.string()),
        labels: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.anything()),
        spec: fc.oneof(fc.record({ size: fc.oneof(fc.integer(), fc.anything()) }, { requiredKeys: [] }), fc.anything()),
        metadata: fc.anything(),
        color: fc.constantFrom('red', 'green', 3),
      },
      { requiredKeys: [] },
    )
    .map(value => JSON.stringify(value) ?? ''),
  fc.string(),
)
const segment = fc
  .oneof(fc.constantFrom('w1', 'w2', '.', '..', '%00', '%', 'a/b', '*'), fc.string())
  .map(encodeURIComponent)
const headerValue = fc.string({ unit: fc.constantFrom(...'"*1-aW/,; é'), maxLength: 20 })
const query = fc.dictionary(
  fc.oneof(
    fc.constantFrom('limit', 'cursor', 'labels', 'name', 'sort', 'color', 'since', 'kinds', 'ignoring'),
    fc.string(),
  ),
  fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom('id', '-name', 'a=b', 'widget')),
  { maxKeys: 3 },
)

test('whatever is sent, the answer is one we know: never a 5xx, never without its form', async () => {
  const shop = await openShop()
  await shop.make('w1')
  const one = fc.oneof(
    fc.constant(''),
    segment.map(name => `/${name}`),
    fc.constantFrom('/w1', '/w1/paint', '/w1/keys'),
  )
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT'),
    path: fc.oneof(
      one.map(rest => shop.widgets + rest),
      segment.map(name => `/v1/projects/${name}/widgets`),
    ),
    query,
    body: almostWidget,
    headers: fc.record(
      {
        'if-match': headerValue,
        'idempotency-key': headerValue,
        'stead-revision': fc.constantFrom('0', 'x', ''),
        traceparent: headerValue,
      },
      { requiredKeys: [] },
    ),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query: parameters, body, headers }) => {
      const url = `${path}?${new URLSearchParams(parameters)}`
      const answer = await shop.call(method, url, { headers, ...(method !== 'GET' && { body }) })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
      if (answer.status < 400) return
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(catalogue).toHaveProperty(answer.body.code)
      expect(answer.body).toMatchObject({ status: answer.status, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
    }),
    { numRuns: 300 },
  )
})
