import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents, type ServerEvent } from './events.ts'

const streamOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

const collect = async (pieces: readonly Uint8Array[]) => {
  const events: ServerEvent[] = []
  for await (const event of readEvents(streamOf(pieces))) events.push(event)
  return events
}

test('events are the same however the bytes are cut, also in the middle of a character', async () => {
  const text = 'id: 7\nevent: put\ndata: {"name":"grün 🌱"}\n\n: still here\n\nevent: heartbeat\ndata: {}\n\n'
  const bytes = new TextEncoder().encode(text)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async cuts => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end))
      expect(await collect(pieces)).toEqual([
        { id: '7', event: 'put', data: '{"name":"grün 🌱"}' },
        { id: undefined, event: 'heartbeat', data: '{}' },
      ])
    }),
  )
})

test('an event that was cut off is none', async () =>
  expect(await collect([new TextEncoder().encode('id: 1\ndata: a\n\nid: 2\ndata: b\n')])).toEqual([
    { id: '1', event: 'message', data: 'a' },
  ]))
