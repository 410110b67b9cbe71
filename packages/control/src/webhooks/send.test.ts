import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { OutgoingError, type OutgoingRequest, type OutgoingStreams } from '../outgoing/index.ts'
import { readable, send } from './send.ts'
import { newSecret } from './signature.ts'

const parcel = { url: 'https://r.example/', id: 'm_1', body: '{}', secrets: [newSecret(realWorld)] }

async function sent(answer: { status: number; headers?: Record<string, string>; body?: AsyncIterable<Uint8Array> }) {
  let request: OutgoingRequest | undefined
  const take: OutgoingStreams = (asked, use) => {
    request = asked
    const { status, headers = {}, body = pieces('ok') } = answer
    return use({ status, headers, url: asked.url, content: body })
  }
  const attempt = await send({ take, world: realWorld, signal: new AbortController().signal }, parcel)
  return { attempt, request: request! }
}

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

test('only an answer of success is one, and a redirect is not followed', async () => {
  const { attempt, request } = await sent({ status: 204 })
  expect(attempt).toMatchObject({ delivered: true, status: 204, error: null, excerpt: 'ok' })
  expect(request).toMatchObject({ method: 'POST', redirects: 'answer' })
  expect((await sent({ status: 302 })).attempt).toMatchObject({ delivered: false, error: 'answered with 302' })
})

test('a receiver may say when to come again, within reason', async () => {
  const retryAfter = async (text: string) =>
    (await sent({ status: 503, headers: { 'retry-after': text } })).attempt.retryAfter
  expect(await retryAfter('120')).toBe(120_000)
  expect(await retryAfter('999999999')).toBe(3_600_000)
  expect(await retryAfter('tomorrow')).toBeUndefined()
})

test('of a long answer the beginning is kept, and one that breaks off was an answer', async () => {
  const long = await sent({ status: 200, body: pieces('x'.repeat(700), 'y'.repeat(700), 'z') })
  expect(long.attempt.excerpt).toBe('x'.repeat(700) + 'y'.repeat(324))
  async function* broken() {
    yield Buffer.from('half')
    throw new OutgoingError('timeout', 'too late')
  }
  expect((await sent({ status: 200, body: broken() })).attempt).toMatchObject({ delivered: true, excerpt: 'half' })
})

test('no answer is an attempt too, and a bug is none', async () => {
  const failing = (error: Error) =>
    send({ take: () => Promise.reject(error), world: realWorld, signal: new AbortController().signal }, parcel)
  const attempt = await failing(new OutgoingError('unreachable', 'the connection failed'))
  expect(attempt).toMatchObject({ delivered: false, status: null, error: 'the connection failed', excerpt: null })
  await expect(failing(new TypeError('a bug'))).rejects.toThrow('a bug')
})

test.each([
  ['Authorization: Bearer abc.def', 'Authorization: [redacted] [redacted]'],
  ['{"token":"abc","id":1}', '{"token":[redacted],"id":1}'],
  ['signed v1,AbC+/= with whsec_AAAA', 'signed v1,[redacted] with whsec_[redacted]'],
  ['a\u001b[31mb\u0000c\nd', 'a [31mb c\nd'],
])('%j is shown as %j', (text, shown) => expect(readable(Buffer.from(text))).toBe(shown))
