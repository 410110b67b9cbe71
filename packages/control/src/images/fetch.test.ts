import { type Duration, millis, realWorld, type World } from '@stead/world'
import { expect, test } from 'vitest'
import { outgoingStreams } from '../outgoing/client.ts'
import type { PreparationError } from '../realised/words.ts'
import { fetchContent } from './fetch.ts'
import { Meter, type Staging, StagingError } from './staging/staging.ts'
import { content, openSource, sha256 } from './tests/image-house.ts'
import { Turns } from './turns.ts'

/** Where minutes pass in milliseconds. */
const hasty: World = {
  ...realWorld,
  setTimer: (delay: Duration, fire) => realWorld.setTimer(millis(delay / 1_000), fire),
}
const take = outgoingStreams({ world: realWorld, allow: ['127.0.0.0/8'] })

const measuring = (fault?: Error): Staging => ({
  async put(_id, coming, check) {
    const meter = new Meter()
    for await (const _ of meter.through(coming)) if (fault) throw fault
    const received = meter.received()
    check(received)
    return received
  },
  has: async () => false,
  open: () => expect.fail('nothing is read here'),
  remove: async () => {},
  owners: async () => [],
})

const fetched = (
  url: string,
  staging = measuring(),
  onBytes: Parameters<typeof fetchContent>[1]['onBytes'] = () => {},
) =>
  fetchContent(
    { take, staging, limitBytes: 1_000_000, world: hasty },
    { id: 'img_1', source: { url }, signal: new AbortController().signal, onBytes },
  )

test('it is told how much has come of how much', async () => {
  const { url } = await openSource((_request, response) =>
    response.writeHead(200, { 'content-length': content.length }).end(content),
  )
  const told: [number, number | undefined][] = []
  expect(await fetched(url, measuring(), (...bytes) => void told.push(bytes))).toEqual({
    sizeBytes: content.length,
    sha256: sha256(content),
  })
  expect(told.at(-1)).toEqual([content.length, content.length])
})

test.each<[string, number, boolean]>([
  ['is gone', 410, true],
  ['is not for us', 403, true],
  ['has moved nowhere', 302, true],
  ['is asked too often', 429, false],
  ['is broken', 500, false],
])('a source that %s (%i) is hopeless: %s', async (_, status, isHopeless) => {
  const { url } = await openSource((_request, response) => response.writeHead(status).end())
  const error: PreparationError = await fetched(url).catch(error => error)
  expect(error).toMatchObject({ name: 'PreparationError', isHopeless, message: expect.stringContaining(`${status}`) })
})

test('a source that falls silent is given up, and may be asked again', async () => {
  const { url } = await openSource((_request, response) => void response.write('a little'))
  expect(await fetched(url).catch(error => error)).toMatchObject({
    isHopeless: false,
    message: 'its source cannot be fetched: nothing came for 60 s',
  })
})

test('a place without room says nothing of itself to the owner, and may have room later', async () => {
  const { url } = await openSource()
  const full = measuring(new StagingError('/srv/staging: no space left on device'))
  const error = await fetched(url, full).catch(error => error)
  expect(error).toMatchObject({ isHopeless: false, message: 'there is no room for it here now' })
})

test('a project has two turns at once, all together eight, and each is given back once', () => {
  const turns = new Turns()
  const held = ['a', 'a', 'b', 'b', 'c', 'c'].map(project => turns.take(project))
  expect(held).not.toContain(undefined)
  expect(turns.take('a')).toBeUndefined()
  held.push(turns.take('d'), turns.take('d'))
  expect(turns.take('e')).toBeUndefined()
  held[0]!()
  expect(turns.take('b')).toBeUndefined()
  expect(turns.take('a')).toBeDefined()
  expect(turns.take('e')).toBeUndefined()
})
