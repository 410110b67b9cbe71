import { millis } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { InstanceHouse, machine, services } from './tests/house.ts'

const patch = (web: object) => ({ spec: { source: { services: { services: { web } } } } })

describe('power', () => {
  test('is stopped, started and restarted by verbs that may be said twice', async () => {
    const house = await InstanceHouse.open()
    await house.running('web-1')
    const again = await house.must(202, 'POST', '/web-1/start')
    expect(await house.operation(again.operation.id)).toMatchObject({ type: 'start', state: 'succeeded' })
    const stop = await house.must(202, 'POST', '/web-1/stop')
    expect(stop).toMatchObject({ spec: { power: 'off' }, operation: { type: 'stop' } })
    await house.until('web-1', 'stopped')
    expect(await house.ended(stop.operation.id)).toMatchObject({ state: 'succeeded' })
    await house.must(202, 'POST', '/web-1/stop')
    expect((await house.must(409, 'POST', '/web-1/restart', { body: {} })).code).toBe('invalid_state')
    await house.must(202, 'POST', '/web-1/start')
    await house.until('web-1', 'running', '&ready=true')
    const restart = await house.must(202, 'POST', '/web-1/restart', { body: { hard: true } })
    expect(await house.ended(restart.operation.id)).toMatchObject({ type: 'restart', state: 'succeeded' })
    expect(await house.events('web-1')).toEqual(
      expect.arrayContaining([
        'StopRequested',
        'Stopping',
        'Stopped',
        'StartRequested',
        'Starting',
        'RestartRequested',
      ]),
    )
    expect((await house.must(422, 'POST', '/web-1/restart', { body: { service: 'nobody' } })).code).toBe('invalid')
  })

  test('of what is not there yet cannot be moved, and the answer says when', async () => {
    const house = await InstanceHouse.open({ profile: { boot: millis(400) } })
    await house.create('web-1')
    const answer = await house.call('POST', '/web-1/stop')
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([409, 'not_ready', '2'])
  })

  test('of the suspended is off: the owner cannot start it, and it comes back as it was wanted', async () => {
    const house = await InstanceHouse.open()
    await house.running('web-1')
    const developer = await house.house.account('acme', 'dev', { role: 'developer', project: 'shop' })
    const suspend = { body: { reason: 'unpaid' } }
    await house.must(403, 'POST', '/web-1/suspend', { ...suspend, token: developer.token })
    await house.must(202, 'POST', '/web-1/suspend', suspend)
    await house.until('web-1', 'stopped')
    expect((await house.get('web-1')).status.suspended).toMatchObject({ reason: 'unpaid' })
    expect((await house.must(409, 'POST', '/web-1/start', { token: developer.token })).code).toBe('invalid_state')
    await house.must(202, 'POST', '/web-1/unsuspend')
    expect((await house.until('web-1', 'running', '&ready=true')).status.suspended).toBeNull()
  })
})

describe('a change', () => {
  test('in place is made without a new server, and charged', async () => {
    const house = await InstanceHouse.open()
    const { metadata } = await house.running('web-1', services({ resources: { cpuMillis: 100 } }))
    const [server] = house.serversOf(metadata.id)
    const scaled = await house.must(202, 'POST', '/web-1/scale', { body: { cpuMillis: 500, memoryMiB: 64 } })
    expect(scaled.operation.type).toBe('scale')
    expect(await house.ended(scaled.operation.id)).toMatchObject({ state: 'succeeded' })
    expect(await house.used()).toEqual({ instances: 1, cpuMillis: 500, memoryMiB: 64 })
    expect(house.serversOf(metadata.id).map(({ id }) => id)).toEqual([server!.id])
    expect((await house.must(422, 'POST', '/web-1/scale', { body: { replicas: 2 } })).errors[0].path).toBe('/replicas')
    expect(
      (await house.must(412, 'PATCH', '/web-1', { body: { labels: { a: 'b' } }, headers: { 'if-match': '"1"' } })).code,
    ).toBe('stale')
  })

  test('of size restarts a machine where its region can resize', async () => {
    const house = await InstanceHouse.open()
    await house.running('vm-1', machine())
    const { operation } = await house.must(202, 'POST', '/vm-1/scale', { body: { flavor: 'large' } })
    expect(await house.ended(operation.id)).toMatchObject({ type: 'scale', state: 'succeeded' })
    expect((await house.get('vm-1')).status).toMatchObject({ phase: 'running', ready: true, observedGeneration: 2 })
    expect((await house.used()).cpuMillis).toBe(8_000)
    expect(house.backends()).toHaveLength(1)
  })

  test('that would destroy something is planned, refused, and made only when that is allowed', async () => {
    const house = await InstanceHouse.open()
    const { metadata } = await house.running('web-1')
    const [before] = house.serversOf(metadata.id)
    const body = patch({ image: 'other' })
    const plan = await house.must(200, 'POST', '/web-1/plan', { body })
    expect(plan).toEqual({
      effect: 'replace',
      changes: [{ path: '/spec/source/services/services/web/image', from: 'host', to: 'other', effect: 'replace' }],
      loses: ['disk', 'addresses', 'localState'],
      keeps: [],
      interrupts: false,
    })
    expect(await house.must(409, 'PATCH', '/web-1', { body })).toMatchObject({ code: 'replacement_required', plan })
    await house.must(409, 'PATCH', '/web-1?allow=rebuild', { body })
    const { operation } = await house.must(202, 'PATCH', '/web-1?allow=replace', { body })
    expect(await house.ended(operation.id)).toMatchObject({
      type: 'replace',
      state: 'succeeded',
      steps: [{ name: 'prepare' }, { name: 'launch' }, { name: 'retire' }],
    })
    const [after, ...others] = house.serversOf(metadata.id)
    expect(others).toEqual([])
    expect(after!.id).not.toBe(before!.id)
    expect(house.backends()).toHaveLength(1)
    expect(await house.used()).toEqual({ instances: 1 })
    expect((await house.get('web-1')).status).toMatchObject({ ready: true, observedGeneration: 2 })
  })

  test('by a new disk is one operation on the same server', async () => {
    const house = await InstanceHouse.open()
    const { metadata } = await house.running('vm-1', machine())
    const [before] = house.serversOf(metadata.id)
    const body = { spec: { source: { machine: { image: 'debian-12' } } } }
    expect((await house.must(409, 'PATCH', '/vm-1', { body })).plan).toMatchObject({
      effect: 'rebuild',
      loses: ['disk', 'localState'],
    })
    const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=rebuild', { body })
    expect(await house.ended(operation.id)).toMatchObject({ type: 'rebuild', state: 'succeeded' })
    expect(house.serversOf(metadata.id).map(({ id }) => id)).toEqual([before!.id])
  })

  test('under way lets nothing come between but a delete', async () => {
    const house = await InstanceHouse.open({ profile: { boot: millis(400) } })
    const { metadata } = await house.running('web-1')
    await house.must(202, 'PATCH', '/web-1?allow=replace', { body: patch({ image: 'other' }) })
    await expect.poll(() => house.serversOf(metadata.id), { interval: 5 }).toHaveLength(2)
    for (const [method, path, body] of [
      ['POST', '/web-1/stop', undefined],
      ['POST', '/web-1/restart', {}],
      ['PATCH', '/web-1', { labels: { a: 'b' } }],
    ] as const)
      expect((await house.must(409, method, path, { ...(body && { body }) })).code).toBe('operation_in_progress')
    await house.must(202, 'DELETE', '/web-1')
    await house.gone('web-1')
    expect(house.backends()).toEqual([])
    expect(await house.used()).toEqual({})
  })

  test('that fails leaves the old one as it was, says so, and can be tried anew', async () => {
    const house = await InstanceHouse.open()
    const { metadata } = await house.running('web-1')
    const [before] = house.serversOf(metadata.id)
    house.cloud.script('bootFailure', { times: 1 })
    const failed = await house.must(202, 'PATCH', '/web-1?allow=replace', { body: patch({ image: 'other' }) })
    expect(await house.ended(failed.operation.id)).toMatchObject({
      state: 'failed',
      error: { code: 'ReplacementFailed' },
    })
    await expect.poll(() => house.serversOf(metadata.id).map(({ id }) => id)).toEqual([before!.id])
    expect((await house.get('web-1')).status).toMatchObject({
      phase: 'running',
      ready: false,
      conditions: [{ type: 'Trouble', reason: 'ReplacementFailed' }],
    })
    await house.must(202, 'POST', '/web-1/stop')
    await house.until('web-1', 'stopped')
    await house.must(202, 'POST', '/web-1/start')
    await house.until('web-1', 'running')
    await house.settled('web-1')
    const retried = await house.must(202, 'PATCH', '/web-1?allow=replace', { body: {} })
    expect(await house.ended(retried.operation.id)).toMatchObject({ type: 'replace', state: 'succeeded' })
    expect(await house.used()).toEqual({ instances: 1 })
  })

  test('that needs two at once is refused where quota has room for one', async () => {
    const house = await InstanceHouse.open()
    await house.running('web-1')
    await house.limit({ instances: 1 })
    const answer = await house.must(403, 'PATCH', '/web-1?allow=replace', { body: patch({ image: 'other' }) })
    expect(answer).toMatchObject({ code: 'quota_exceeded', kind: 'instances', limit: 1 })
    expect((await house.get('web-1')).metadata.generation).toBe(1)
  })
})

describe('by itself', () => {
  test('what died is started again, and what is gone is not made anew unless that is wanted', async () => {
    const house = await InstanceHouse.open()
    const { metadata } = await house.running('web-1')
    house.cloud.crash(house.serversOf(metadata.id)[0]!.status.backendId!)
    await expect.poll(() => house.events('web-1')).toContain('Crashed')
    await house.until('web-1', 'running', '&ready=true')
    house.cloud.disappear(house.serversOf(metadata.id)[0]!.status.backendId!)
    await expect.poll(async () => (await house.get('web-1')).status.phase, { timeout: 60_000 }).toBe('failed')
    expect((await house.get('web-1')).status.conditions).toMatchObject([{ reason: 'ServerLost' }])
    expect((await house.must(409, 'POST', '/web-1/start')).code).toBe('invalid_state')
    await house.must(202, 'PATCH', '/web-1', { body: { spec: { onServerLoss: 'recreate' } } })
    await house.until('web-1', 'running', '&ready=true')
  }, 90_000)

  test('it is gone when its time is over, and a protected one stays', async () => {
    const house = await InstanceHouse.open()
    await house.create('short', { ...services(), ttl: '300ms' })
    await house.gone('short')
    await house.running('long', { ...services(), deletionProtection: true })
    expect(await house.must(409, 'DELETE', '/long')).toMatchObject({
      code: 'invalid_state',
      suggestion: 'set deletionProtection to false first',
      phase: 'running',
      allowed: ['stop', 'restart', 'update'],
    })
    await house.must(202, 'PATCH', '/long', { body: { spec: { deletionProtection: false } } })
    await house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: 'maintenance' } } })
    await house.must(202, 'DELETE', '/long')
    expect(await house.must(409, 'PATCH', '/long', { body: { labels: { a: 'b' } } })).toMatchObject({
      code: 'invalid_state',
      allowed: ['delete'],
    })
    await house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: 'active' } } })
    await house.gone('long')
  })

  test('what nobody uses is stopped', async () => {
    const house = await InstanceHouse.open()
    await house.running('web-1', { ...services(), idleStop: '200ms' })
    await house.until('web-1', 'stopped')
    expect((await house.get('web-1')).spec.power).toBe('off')
  })
})

test('a wait ends when it is so, or says how it is when it is not in time', async () => {
  const house = await InstanceHouse.open()
  const made = await house.create('web-1')
  const late = await house.call('GET', '/web-1/wait?phase=stopped&timeout=50ms')
  expect([late.status, late.body.code]).toEqual([408, 'wait_timeout'])
  expect(late.body.instance.metadata.id).toBe(made.metadata.id)
  await house.until('web-1', 'running', '&generation=1')
  const waiting = house.must(200, 'GET', '/web-1/wait?phase=destroyed&timeout=10s')
  await house.must(202, 'DELETE', '/web-1')
  expect((await waiting).status.phase).toBe('destroyed')
})

test('nothing is written while nothing happens', async () => {
  const house = await InstanceHouse.open()
  await Promise.all(Array.from({ length: 5 }, (_, n) => house.running(`w${n}`)))
  await Promise.all(Array.from({ length: 5 }, (_, n) => house.settled(`w${n}`)))
  const { store } = house.house
  const before = store.head()
  await new Promise(resolve => setTimeout(resolve, 1_500))
  expect(store.head()).toBe(before)
})
