import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { millis, realWorld } from '@stead/world'
import { afterEach, expect, test, vi } from 'vitest'
import { outgoingClient, outgoingStreams } from './client.ts'
import type { OutgoingFailure } from './errors.ts'

const servers: { close(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server on loopback and a client that may reach exactly that. Every name leads there. */
async function serve(handle: RequestListener) {
  const seen: IncomingMessage[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    seen.push(request)
    handle(request, response)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  servers.push({ close: () => server.closeAllConnections() ?? server.close() })
  const { port } = server.address() as AddressInfo
  const get = outgoingClient({ world: realWorld, allow: ['127.0.0.1/32'], resolve: async () => ['127.0.0.1'] })
  return { get, port, seen }
}

/** A client that may go nowhere special, with every connection it would open recorded instead of made. */
function recorder(names: Record<string, string[]> = {}) {
  const open = vi.fn(() => {
    throw new Error('a connection was attempted')
  })
  const get = outgoingClient({ world: realWorld, resolve: async host => names[host] ?? [], open })
  return { get, open }
}

const failure = (promise: Promise<unknown>): Promise<OutgoingFailure> =>
  promise.then(
    () => Promise.reject(new Error('it was let through')),
    error => error.failure,
  )

test.each([
  'http://127.0.0.1/',
  'http://localhost/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://[::1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/latest/meta-data/',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/',
  'http://rebound.example/',
])('%s is refused before any connection is made', async url => {
  const names = {
    localhost: ['127.0.0.1'],
    'metadata.google.internal': ['169.254.169.254'],
    // One good address does not redeem a bad one.
    'rebound.example': ['1.1.1.1', '127.0.0.1'],
  }
  const { get, open } = recorder(names)
  expect(await failure(get({ url, maxBytes: 10 }))).toBe('forbidden_address')
  expect(open).not.toHaveBeenCalled()
})

test.each(['file:///etc/passwd', 'gopher://x/', 'ftp://x/', 'not a url', 'http://user:pass@example.com/'])(
  '%s is not a URL we follow',
  async url => {
    const { get, open } = recorder()
    expect(await failure(get({ url, maxBytes: 10 }))).toBe('invalid_url')
    expect(open).not.toHaveBeenCalled()
  },
)

test('a name without an address is said to have none', async () =>
  expect(await failure(recorder().get({ url: 'http://nowhere.example/', maxBytes: 1 }))).toBe('unresolvable'))

test('the connection goes to the address that was checked, under the name that was asked for', async () => {
  const { get, port, seen } = await serve((_request, response) => response.end('hello'))
  const reply = await get({ url: `http://charts.example:${port}/index?x=1`, maxBytes: 100 })
  expect(reply).toMatchObject({ status: 200, url: `http://charts.example:${port}/index?x=1` })
  expect(reply.body.toString()).toBe('hello')
  expect(seen[0]).toMatchObject({ url: '/index?x=1', headers: { host: `charts.example:${port}` } })
})

test('a redirect into the inside is refused at that hop', async () => {
  const { get, port } = await serve((_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  )
  expect(await failure(get({ url: `http://a.example:${port}/`, maxBytes: 10 }))).toBe('forbidden_address')
})

test('a name that answers differently the second time is checked the second time', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']]
  const { port } = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end())
  const get = outgoingClient({ world: realWorld, allow: ['127.0.0.1/32'], resolve: async () => answers.shift()! })
  expect(await failure(get({ url: `http://flip.example:${port}/`, maxBytes: 10 }))).toBe('forbidden_address')
})

test('credentials do not follow a redirect to another origin, and a POST becomes a GET on 302', async () => {
  const { get, port, seen } = await serve((request, response) =>
    request.url === '/'
      ? response.writeHead(302, { location: `http://b.example:${port}/there` }).end()
      : response.end(),
  )
  const headers = { Authorization: 'Bearer secret', accept: 'x/y' }
  await get({ url: `http://a.example:${port}/`, method: 'POST', body: Buffer.from('hi'), headers, maxBytes: 10 })
  expect(seen.map(request => [request.method, request.headers.authorization, request.headers.accept])).toEqual([
    ['POST', 'Bearer secret', 'x/y'],
    ['GET', undefined, 'x/y'],
  ])
})

test('a circle of redirects ends', async () => {
  const { get, port, seen } = await serve((_request, response) => response.writeHead(301, { location: '/' }).end())
  expect(await failure(get({ url: `http://a.example:${port}/`, maxBytes: 10 }))).toBe('too_many_redirects')
  expect(seen).toHaveLength(6)
})

test('an answer larger than allowed is cut off', async () => {
  const { get, port } = await serve((_request, response) => response.end(Buffer.alloc(1_001)))
  expect(await failure(get({ url: `http://a.example:${port}/`, maxBytes: 1_000 }))).toBe('too_large')
  expect((await get({ url: `http://a.example:${port}/`, maxBytes: 1_001 })).body).toHaveLength(1_001)
})

test('an answer that never ends is given up', async () => {
  const { get, port } = await serve((_request, response) => void response.write('x'))
  expect(await failure(get({ url: `http://a.example:${port}/`, maxBytes: 10, timeout: millis(50) }))).toBe('timeout')
})

test('the caller may give up first', async () => {
  const { get, port } = await serve(() => {})
  const controller = new AbortController()
  const answer = get({ url: `http://a.example:${port}/`, maxBytes: 10, signal: controller.signal })
  controller.abort('enough')
  await expect(answer).rejects.toBe('enough')
})

test('an answer can be taken as it comes, and one that breaks off is not taken for the whole', async () => {
  const { port } = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '6' }).write('abc')
    if (request.url === '/whole') response.end('def')
    else setTimeout(() => response.destroy(), 20)
  })
  const take = outgoingStreams({ world: realWorld, allow: ['127.0.0.1/32'], resolve: async () => ['127.0.0.1'] })
  const read = (path: string, maxBytes: number) => {
    const taken: Uint8Array[] = []
    const whole = take({ url: `http://a.example:${port}${path}`, maxBytes }, async ({ content }) => {
      for await (const chunk of content) taken.push(chunk)
    })
    return { whole, taken: () => Buffer.concat(taken).toString() }
  }
  const good = read('/whole', 6)
  await good.whole
  expect(good.taken()).toBe('abcdef')
  const broken = read('/broken', 6)
  expect(await failure(broken.whole)).toBe('unreachable')
  expect(broken.taken()).toBe('abc')
  expect(await failure(read('/whole', 5).whole)).toBe('too_large')
})
