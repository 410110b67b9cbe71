import { connect } from 'node:net'
import { millis, minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { fail } from '../errors/index.ts'
import { Type } from '../schema/type.ts'
import { route } from './route.ts'
import { openOwn, type Shop } from './tests/shop.ts'
import { widgetRoutes } from './tests/widgets.ts'

const limit = 100_000
const path = '/v1/measured'

/** Counts what comes, and refuses what is too long. */
async function openMeasured(deadline = minutes(5)) {
  const heard: { bytes: number; error?: unknown }[] = []
  const measured = route({
    ...({ method: 'PUT', path, summary: 'Measure', upload: 'Anything.', deadline } as const),
    ...({ scope: 'platform', permission: 'authenticated' } as const),
    replies: { 200: Type.Object({ bytes: Type.Integer(), announced: Type.Optional(Type.Integer()) }) },
    async handle({ upload }) {
      const { announced, content } = upload!
      const seen: { bytes: number; error?: unknown } = { bytes: 0 }
      heard.push(seen)
      try {
        for await (const chunk of content) {
          seen.bytes += chunk.length
          if (seen.bytes > limit) throw fail('too_large', 'enough')
        }
      } catch (error) {
        seen.error = error
        throw error
      }
      return { status: 200, body: { bytes: seen.bytes, ...(announced !== undefined && { announced }) } }
    },
  })
  const receiveTime = millis(300)
  return { shop: await openOwn({ routes: [...widgetRoutes, measured] }, { receiveTime }), heard }
}

const put = (shop: Shop, body: Uint8Array | ReadableStream | string, type = 'application/octet-stream') =>
  fetch(shop.house.url + path, {
    ...{ method: 'PUT', body, duplex: 'half' },
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': type },
  } as RequestInit)

/** In pieces, with a wait before each. */
const slowly = (pieces: number, size: number, wait: number) =>
  new ReadableStream({
    async start(stream) {
      for (let piece = 0; piece < pieces; piece++) {
        await new Promise(resolve => setTimeout(resolve, wait))
        stream.enqueue(new Uint8Array(size))
      }
      stream.close()
    },
  })

test('an upload is taken as it comes, and may take longer to come than other requests', async () => {
  const { shop } = await openMeasured()
  expect(await (await put(shop, new Uint8Array(70_000))).json()).toEqual({ bytes: 70_000, announced: 70_000 })
  expect(await (await put(shop, slowly(4, 100, 150))).json()).toEqual({ bytes: 400 })
})

test('one that is too long is refused while it comes, and the client hears why', async () => {
  const { shop, heard } = await openMeasured()
  const answer = await put(shop, slowly(8, 50_000, 20))
  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({ code: 'too_large', detail: 'enough' })
  expect(heard[0]!.bytes).toBeLessThan(250_000)
})

test('bytes are taken where an upload is, and JSON where it is not', async () => {
  const { shop } = await openMeasured()
  for (const type of ['application/json', 'text/plain'])
    expect(await (await put(shop, '{}', type)).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'Content-Type', message: 'must be application/octet-stream' }],
    })
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await shop.call('POST', shop.widgets, { body: { name: 'w1', spec: { size: 1 } }, headers })
  expect(answer.body).toMatchObject({ errors: [{ message: 'must be application/json' }] })
  expect((await shop.call('PUT', path)).status).toBe(400)
})

const begin = (shop: Shop, text: string) =>
  new Promise<string>((resolve, reject) => {
    const head = `${text}\r\nhost: x\r\nauthorization: Bearer ${shop.token}\r\n`
    let heard = ''
    const socket = connect(Number(new URL(shop.house.url).port), '127.0.0.1', () =>
      socket.write(`${head}content-type: application/octet-stream\r\ncontent-length: 1000\r\n\r\nsome`),
    )
    socket.setEncoding('utf8').on('data', part => {
      heard += part
    })
    socket.on('close', () => resolve(heard)).on('error', reject)
    if (text.startsWith('PUT')) setTimeout(() => socket.destroy(), 100)
  })

test('a client that goes away midway is noticed', async () => {
  const { shop, heard } = await openMeasured()
  await begin(shop, `PUT ${path} HTTP/1.1`)
  await expect.poll(() => heard[0]?.error).toMatchObject({ code: 'unavailable' })
  expect(heard[0]!.bytes).toBe(4)
})

test('the time of all other requests is as it was, on any path', async () => {
  const { shop } = await openMeasured()
  expect(await begin(shop, 'POST /v1/nowhere HTTP/1.1')).toContain('404')
  expect(await begin(shop, 'GET /healthz HTTP/1.1')).toContain('200')
})

test('an upload has its own time', async () => {
  const { shop } = await openMeasured(millis(400))
  const began = performance.now()
  expect((await put(shop, slowly(100, 10, 50))).status).toBe(503)
  expect(performance.now() - began).toBeLessThan(seconds(5))
})
