import type { StoredRecord } from '@stead/engine'
import { after, hours, realWorld, type World } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { idempotencyTable } from './idempotency.ts'
import { forgetOldKeys } from './idempotency-upkeep.ts'
import type { House } from './tests/house.ts'
import { openOwn, shareHouse } from './tests/shop.ts'

const openShop = shareHouse()

const key = (value: string) => ({ 'idempotency-key': value })
const remembered = (house: House): Promise<readonly StoredRecord[]> =>
  house.store.records({ table: idempotencyTable, scope: 'platform', limit: 100 })

describe('the same Idempotency-Key', () => {
  test('sent 20 times at once has one effect and 20 equal answers', async () => {
    const shop = await openShop()
    const { house } = shop
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.make('w1', {}, key('k'))))
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body])))).toHaveLength(1)
    expect(answers[0]).toMatchObject({ status: 201, body: { metadata: { name: 'w1' } } })
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19)
    expect(new Set(answers.map(({ headers }) => headers.get('etag')))).toHaveLength(1)
    expect(await house.store.counters(`quota/${shop.ids.shop}`)).toMatchObject([{ value: 1 }])
  })

  test('gets the first answer again when the object has changed, and after a restart', async () => {
    const shop = await openOwn()
    const { house } = shop
    const first = await shop.make('w1', {}, key('k'))
    await shop.call('PATCH', `${shop.widgets}/w1`, { body: { spec: { size: 9 } } })
    expect(await shop.make('w1', {}, key('k'))).toMatchObject({ status: 201, body: first.body })
    await house.restart()
    const later = await shop.make('w1', {}, key('k'))
    expect(later).toMatchObject({ status: 201, body: first.body })
    expect(later.headers.get('etag')).toBe(first.headers.get('etag'))
  })

  test('means the same request however its project is spelled and its body is ordered', async () => {
    const shop = await openShop()
    const first = await shop.make('w1', {}, key('k'))
    const again = await shop.call('POST', `/v1/projects/${shop.organization}%2Fshop/widgets`, {
      body: '{ "spec": {"size": 3}, "name": "w1" }',
      headers: key('k'),
    })
    expect(again.body).toEqual(first.body)
  })

  test('with another body, or for another route, is refused and changes nothing', async () => {
    const shop = await openShop()
    await shop.make('w1', {}, key('k'))
    expect(await shop.make('w2', {}, key('k'))).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } })
    expect(await shop.make('w1', { spec: { size: 4 } }, key('k'))).toMatchObject({ status: 422 })
    const paint = shop.call('POST', `${shop.widgets}/w1/paint`, { body: { color: 'red' }, headers: key('k') })
    expect(await paint).toMatchObject({ status: 422 })
    expect((await shop.call('GET', shop.widgets)).body.total).toBe(1)
  })

  test("is one principal's own", async () => {
    const shop = await openShop()
    const { house } = shop
    await house.grant(`other-${shop.token}`, shop.ids.shop, ['widgets:read', 'widgets:create'])
    await shop.make('w1', {}, key('k'))
    const body = { name: 'w1', spec: { size: 3 } }
    expect(
      await shop.call('POST', shop.widgets, { token: `other-${shop.token}`, body, headers: key('k') }),
    ).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    })
  })

  test('keeps nothing of a request that was refused', async () => {
    const shop = await openOwn()
    const { house } = shop
    await shop.make('w1')
    expect((await shop.make('w1', {}, key('k'))).status).toBe(409)
    expect(await remembered(house)).toEqual([])
    await shop.call('DELETE', `${shop.widgets}/w1`)
    expect((await shop.make('w1', {}, key('k'))).status).toBe(201)
  })

  test('re-attaches even where repeating would have nothing left to do', async () => {
    const shop = await openShop()
    await shop.make('w1')
    const paint = (headers = {}) => shop.call('POST', `${shop.widgets}/w1/paint`, { body: { color: 'red' }, headers })
    expect((await paint(key('k'))).body).toEqual({ painted: true, color: 'red' })
    expect((await paint(key('k'))).body).toEqual({ painted: true, color: 'red' })
    expect((await paint()).body).toEqual({ painted: false, color: 'red' })
  })

  test('does not outlive the right to make the request', async () => {
    const shop = await openShop()
    const { house } = shop
    const withdraw = await house.grant(`brief-${shop.token}`, shop.ids.shop, ['widgets:read', 'widgets:create'])
    await house.grant(`brief-${shop.token}`, shop.ids.shop, ['widgets:read'])
    const make = () =>
      shop.call('POST', shop.widgets, {
        token: `brief-${shop.token}`,
        body: { name: 'w1', spec: { size: 3 } },
        headers: key('k'),
      })
    expect((await make()).status).toBe(201)
    await withdraw()
    expect((await make()).status).toBe(403)
  })

  test('gets a secret that is shown once shown again, and the store holds neither it nor what was sent', async () => {
    const shop = await openOwn()
    const { house } = shop
    await shop.make('w1')
    const make = () =>
      shop.call('POST', `${shop.widgets}/w1/keys`, { body: { password: 'hunter2' }, headers: key('k-raw') })
    const first = await make()
    expect(first.body.key).toMatch(/^key-/)
    expect((await make()).body).toEqual(first.body)
    const kept = JSON.stringify(await remembered(house))
    for (const secret of [first.body.key, 'hunter2', 'k-raw']) expect(kept).not.toContain(secret)
  })

  test('that is empty, or longer than 255 characters, is refused', async () => {
    const shop = await openShop()
    for (const wrong of ['', 'k'.repeat(256)])
      expect(await shop.make('w1', {}, key(wrong))).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'Idempotency-Key' }] },
      })
  })

  test('of a request that commits on the way still gets one answer', async () => {
    const shop = await openShop()
    const body = { names: ['a', 'b'] }
    const first = await shop.call('POST', `${shop.widgets}/batch`, { body, headers: key('k') })
    expect(first).toMatchObject({ status: 201, body: { metadata: { name: 'last' } } })
    expect((await shop.call('POST', `${shop.widgets}/batch`, { body, headers: key('k') })).body).toEqual(first.body)
    expect((await shop.call('GET', shop.widgets)).body.total).toBe(3)
  })
})

describe('keys past their time', () => {
  /** A day and more later, without waiting for it. */
  const later = (count: number): World => ({ ...realWorld, now: () => after(realWorld.now(), hours(count)) })
  const forget = (house: House, world: World) => {
    const { store } = house
    const engine = { store, commit: (set: Parameters<typeof store.commit>[0]) => store.commit(set) }
    return forgetOldKeys({ engine, world, log: { debug() {}, info() {}, warn() {}, error() {} } })
  }

  test('are forgotten after a day, not before, and by however many at once', async () => {
    const shop = await openOwn()
    const { house } = shop
    for (const name of ['w1', 'w2', 'w3']) await shop.make(name, {}, key(name))
    expect(await forget(house, later(24))).toBe(0)
    await Promise.all([forget(house, later(26)), forget(house, later(26))])
    expect(await remembered(house)).toEqual([])
    expect(await shop.make('w1', {}, key('w1'))).toMatchObject({ status: 409, body: { code: 'name_taken' } })
    await shop.call('DELETE', `${shop.widgets}/w1`)
    expect((await shop.make('w1', { spec: { size: 5 } }, key('w1'))).status).toBe(201)
  })

  test('whose answer is gone but which are still held are taken over', async () => {
    const shop = await openOwn()
    const { house } = shop
    await shop.make('w1', {}, key('k'))
    await house.store.expireRecords({ table: idempotencyTable, before: later(1).now(), limit: 10 })
    expect((await shop.make('w2', {}, key('k'))).status).toBe(201)
    expect((await shop.make('w2', {}, key('k'))).status).toBe(201)
    expect((await shop.call('GET', shop.widgets)).body.total).toBe(2)
  })
})

test('an answer is worked out before the change is made: one that cannot be given changes nothing', async () => {
  const shop = await openShop()
  const { house } = shop
  const { revision } = house.cache
  expect((await shop.call('POST', `/v1/projects/${shop.ids.shop}/break/answer`)).status).toBe(500)
  expect(house.cache.revision).toBe(revision)
})
