import { millis } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { InstanceHouse, services } from '../tests/house.ts'

const traceId = 'a'.repeat(32)
const traced = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` }

test('every operation says who asked for it, and in which trace', async () => {
  const house = await InstanceHouse.open()
  await house.running('web-1')
  const { id: requestedBy, token } = await house.house.account('acme', 'ada', { role: 'developer', project: 'shop' })
  for (const [method, path, body] of [
    ['POST', '', { name: 'web-2', spec: services() }],
    ['POST', '/web-1/start', undefined],
    ['POST', '/web-1/restart', {}],
    ['POST', '/web-1/scale', { cpuMillis: 100 }],
    ['PATCH', '/web-1', { labels: { a: 'b' } }],
    ['POST', '/web-1/stop', undefined],
    ['DELETE', '/web-1', undefined],
  ] as const) {
    const { body: answer } = await house.call(method, path, { token, headers: traced, ...(body && { body }) })
    expect(await house.operation(answer.operation.id)).toMatchObject({ requestedBy, traceId })
    if (path === '/web-1/restart') await house.until('web-1', 'running', '&ready=true')
  }
})

describe('a verb', () => {
  test('is done only to the version that was seen, where that is said', async () => {
    const house = await InstanceHouse.open()
    await house.running('web-1')
    const { metadata } = await house.settled('web-1')
    const at = (revision: number) => ({ headers: { 'if-match': `"${revision}"` } })
    expect((await house.must(412, 'POST', '/web-1/stop', at(metadata.revision - 1))).code).toBe('stale')
    expect((await house.get('web-1')).spec.power).toBe('on')
    await house.must(202, 'POST', '/web-1/stop', at(metadata.revision))
  })

  test('has one effect for one key', async () => {
    const house = await InstanceHouse.open()
    const { metadata } = await house.running('web-1')
    const once = { body: {}, headers: { 'idempotency-key': 'k1' } }
    const first = await house.must(202, 'POST', '/web-1/restart', once)
    await house.ended(first.operation.id)
    const again = await house.call('POST', '/web-1/restart', once)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
    expect(again.body.operation).toEqual(first.operation)
    expect(house.serversOf(metadata.id)[0]!.spec.restart?.sequence).toBe(1)
    await house.must(422, 'POST', '/web-1/restart', { ...once, body: { hard: true } })
  })

  test('that found nothing to do does nothing later either when it is sent again', async () => {
    const house = await InstanceHouse.open()
    await house.running('web-1', services({ resources: { cpuMillis: 100 } }))
    const once = { body: { cpuMillis: 100 }, headers: { 'idempotency-key': 'k1' } }
    const nothing = await house.must(202, 'POST', '/web-1/scale', once)
    expect(await house.operation(nothing.operation.id)).toMatchObject({ type: 'scale', state: 'succeeded' })
    const { operation } = await house.must(202, 'POST', '/web-1/scale', { body: { cpuMillis: 200 } })
    await house.ended(operation.id)
    expect((await house.must(202, 'POST', '/web-1/scale', once)).operation).toEqual(nothing.operation)
    expect((await house.get('web-1')).spec.source.services.services.web.resources.cpuMillis).toBe(200)
  })

  test('that contradicts what is under way takes its place', async () => {
    const house = await InstanceHouse.open({ profile: { boot: millis(300) } })
    await house.running('web-1')
    await house.must(202, 'POST', '/web-1/stop')
    await house.until('web-1', 'stopped')
    await house.settled('web-1')
    const start = await house.must(202, 'POST', '/web-1/start')
    await house.until('web-1', 'starting')
    const stop = await house.must(202, 'POST', '/web-1/stop')
    expect(await house.ended(start.operation.id)).toMatchObject({ type: 'start', state: 'superseded' })
    expect(await house.ended(stop.operation.id)).toMatchObject({ type: 'stop', state: 'succeeded' })
    expect((await house.get('web-1')).status).toMatchObject({ phase: 'stopped', power: 'off' })
  })
})
