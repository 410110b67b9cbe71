import { connect } from 'node:net'
import { millis, seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from './limits.ts'
import { openOwn, type Shop, shareHouse } from './tests/shop.ts'

const openShop = shareHouse()

/** Sends text over a socket; answers what comes back until the server closes it, or until `enough`. */
const talk = (shop: Shop, text: string, enough = /\0/): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(Number(new URL(shop.house.url).port), '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').on('data', part => {
      heard += part
      if (enough.test(heard)) socket.destroy()
    })
    socket.on('close', () => resolve(heard)).on('error', reject)
  })

const retryAfter = (headers: Headers) => Number(headers.get('retry-after'))

describe('too much', () => {
  test('in one body is refused, told or found out', async () => {
    const shop = await openOwn({ limits: { bodyBytes: 2_000 } })
    const answer = await shop.make('w1', { spec: { size: 1, material: 'x'.repeat(3_000) } })
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } })
    const head = `POST ${shop.widgets} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${shop.token}\r\ncontent-type: application/json\r\n`
    const chunk = `${(3_000).toString(16)}\r\n${' '.repeat(3_000)}\r\n0\r\n\r\n`
    expect(await talk(shop, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`, /\}$/)).toContain('"too_large"')
  })

  test('for the store, though the door let it in, is refused and not a bug', async () => {
    const shop = await openOwn({ limits: { bodyBytes: 1_100_000 } })
    const answer = await shop.make('w1', { spec: { size: 1, material: 'x'.repeat(1_048_500) } })
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } })
  })

  test('from one credential is told to wait, and nobody else is', async () => {
    const shop = await openOwn({ limits: { credentialRate: { burst: 3, perSecond: 0.1 } } })
    const { house } = shop
    await house.grant('other', shop.ids.shop, ['widgets:read'])
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.call('GET', shop.widgets)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(2)
    expect(refused[0]!.body.code).toBe('rate_limited')
    expect(retryAfter(refused[0]!.headers)).toBeGreaterThanOrEqual(9)
    expect((await shop.call('GET', shop.widgets, { token: 'other' })).status).toBe(200)
    expect(house.metrics.expose()).toContain('stead_http_rate_limited_total{by="credential"} 2')
  })

  test('guessing from one address is told to wait, and who has a valid token there is not', async () => {
    const shop = await openOwn({ limits: { addressRate: { burst: 3, perSecond: 0.1 } } })
    const guess = () => shop.call('GET', shop.widgets, { token: `guess-${Math.random()}` })
    const statuses = []
    for (let index = 0; index < 5; index++) statuses.push((await guess()).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect((await shop.call('GET', shop.widgets)).status).toBe(200)
  })
})

test('behind a proxy the address is what the proxy saw, and not what a caller makes up', async () => {
  const addressRate = { burst: 2, perSecond: 0.1 }
  const shop = await openOwn({ limits: { addressRate } }, { behindProxy: true })
  const guess = (forwarded: string) =>
    shop.call('GET', shop.widgets, { token: 'guess', headers: { 'x-forwarded-for': forwarded } })
  const statuses = []
  for (const madeUp of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) statuses.push((await guess(`${madeUp}, 10.0.0.1`)).status)
  expect(statuses).toEqual([401, 401, 429])
  expect((await guess('1.1.1.1, 10.0.0.2')).status).toBe(401)
})

describe('a request that takes too long', () => {
  test.each([false, true])(
    'is answered when its time is up, whether its handler listens or not (ignoring: %s)',
    async ignoring => {
      const shop = await openOwn({ limits: { deadline: millis(150) } })
      await shop.make('w1')
      const answer = await shop.call('GET', `${shop.widgets}/w1/wait?ignoring=${ignoring}`)
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(retryAfter(answer.headers)).toBe(1)
    },
  )

  test('because the client never sends it all is cut off', async () => {
    const shop = await openOwn({}, { receiveTime: millis(200) })
    const head = `POST ${shop.widgets} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${shop.token}\r\ncontent-type: application/json\r\n`
    expect(await talk(shop, `${head}content-length: 100\r\n\r\n{`)).toMatch(
      /^HTTP\/1.1 400 .*application\/problem\+json/s,
    )
  })
})

test('what is not HTTP at all gets an answer in the same words', async () => {
  const shop = await openShop()
  const answer = await talk(shop, 'nonsense\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(answer).toContain('"code":"invalid_request"')
})

describe('overload', () => {
  const busy = async (shop: Shop, count: number, token = shop.token) => {
    const waiting = Array.from({ length: count }, () => shop.call('GET', `${shop.widgets}/w1/wait`, { token }))
    await expect.poll(() => shop.house.metrics.expose()).toContain(`stead_http_requests_in_progress ${count}`)
    return waiting
  }

  test('is refused at once, with when to come back, while what is inside is answered and health stays alive', async () => {
    const shop = await openOwn({ limits: { deadline: seconds(2), load: { total: 3, perCaller: 3 } } })
    const { house } = shop
    await shop.make('w1')
    const waiting = await busy(shop, 3)
    const refused = await shop.call('GET', shop.widgets)
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'unavailable', detail: 'the server has too much to do' },
    })
    expect(retryAfter(refused.headers)).toBe(1)
    expect((await fetch(`${house.url}/healthz`)).status).toBe(200)
    for (const { body } of await Promise.all(waiting)) expect(body.detail).toContain('within')
    expect((await shop.call('GET', shop.widgets)).status).toBe(200)
  })

  test('by one caller leaves room for the others', async () => {
    const shop = await openOwn({ limits: { deadline: seconds(2), load: { total: 10, perCaller: 2 } } })
    const { house } = shop
    await house.grant('other', shop.ids.shop, ['widgets:read'])
    await shop.make('w1')
    const waiting = await busy(shop, 2)
    expect(await shop.call('GET', shop.widgets)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect((await shop.call('GET', shop.widgets, { token: 'other' })).status).toBe(200)
    await Promise.all(waiting)
  })

  test('gives a place back when a client goes away', async () => {
    const shop = await openOwn({ limits: { load: { total: 1, perCaller: 1 } } })
    const { house } = shop
    await shop.make('w1')
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${shop.token}` }
    const gone = fetch(`${house.url}${shop.widgets}/w1/wait`, { headers, signal: leaving.signal }).catch(() => 'gone')
    await expect.poll(() => house.metrics.expose()).toContain('stead_http_requests_in_progress 1')
    leaving.abort()
    expect(await gone).toBe('gone')
    await expect.poll(() => shop.call('GET', shop.widgets).then(({ status }) => status)).toBe(200)
  })
})

test('a server that stops answers what it has begun, and then takes no more', async () => {
  const shop = await openOwn({ limits: { deadline: seconds(1) } })
  const { house } = shop
  await shop.make('w1')
  const begun = shop.call('GET', `${shop.widgets}/w1/wait`)
  await expect.poll(() => house.metrics.expose()).toContain('stead_http_requests_in_progress 1')
  const closed = house.server.close()
  expect((await begun).body.detail).toContain('within')
  await closed
  await expect(fetch(house.url)).rejects.toThrow()
})

test('every limit has a default', () => {
  expect(defaultLimits).toMatchObject({ bodyBytes: 1_048_576, deadline: 30_000, streams: { heartbeat: 15_000 } })
})
