import type { Provider, WatchEvent, WatchRequest } from '@stead/provider-kit'
import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { RegionStream } from './stream.ts'

const signal = new AbortController().signal

/** A backend whose stream says what it is told to. */
function backend(world: VirtualWorld) {
  const asked: (string | undefined)[] = []
  const open: { push(event: WatchEvent | Error): void; readonly signal: AbortSignal }[] = []
  const watch = async function* (request: WatchRequest, { signal }: { signal?: AbortSignal } = {}) {
    asked.push(request.after)
    if (request.after === 'too old') {
      yield { type: 'gone' } as const
      return
    }
    const queue: (WatchEvent | Error)[] = []
    open.push({ push: event => queue.push(event), signal: signal! })
    yield { type: 'open', cursor: request.after ?? '0' } as const
    for (;;) {
      const next = queue.shift()
      if (next instanceof Error) throw next
      if (next) yield next
      else await world.sleep(millis(10), signal)
    }
  }
  return { provider: { watch } as unknown as Provider, asked, newest: () => open.at(-1)! }
}

const change = (number: number): WatchEvent => ({
  type: 'change',
  cursor: String(number),
  id: `i-${number}`,
  server: undefined,
})

test('changes come in order, a few at a time, and none is lost between two looks', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { provider, newest } = backend(world)
  const stream = new RegionStream(world, {})
  expect(await world.run(stream.open(provider, signal))).toBe('opened')
  expect(await world.run(stream.take(seconds(1), signal))).toEqual([])
  newest().push(change(1))
  newest().push(change(2))
  const taken = await world.run(async () => [
    ...(await stream.take(seconds(1), signal)),
    ...(await stream.take(seconds(1), signal)),
  ])
  expect(taken.map(({ id }) => id)).toEqual(['i-1', 'i-2'])
  expect(await world.run(stream.open(provider, signal))).toBe('open')
})

test('a stream that breaks off is taken up after the last change, and says that it was opened anew', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { provider, newest, asked } = backend(world)
  const stream = new RegionStream(world, {})
  await world.run(stream.open(provider, signal))
  newest().push(change(7))
  await world.run(stream.take(seconds(1), signal))
  newest().push(new Error('cut'))
  await expect(world.run(stream.take(seconds(1), signal))).rejects.toThrow('cut')
  expect(await world.run(stream.open(provider, signal))).toBe('opened')
  expect(asked).toEqual([undefined, '7'])
})

test('where the backend has forgotten that place, it begins anew', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { provider, newest, asked } = backend(world)
  const stream = new RegionStream(world, {})
  await world.run(stream.open(provider, signal))
  newest().push({ ...change(1), cursor: 'too old' } as WatchEvent)
  await world.run(stream.take(seconds(1), signal))
  newest().push({ type: 'gone' })
  await world.run(stream.take(seconds(1), signal))
  expect(await world.run(stream.open(provider, signal))).toBe('opened')
  stream.close()
  expect(asked).toEqual([undefined, undefined])
})

test('one that nobody reads any more ends by itself', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { provider, newest } = backend(world)
  const stream = new RegionStream(world, {})
  await world.run(stream.open(provider, signal))
  await world.runFor(seconds(30))
  expect(newest().signal.aborted).toBe(true)
})

test('one that its backend ends leaves no timer behind to keep a process that stops', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { provider, newest } = backend(world)
  const stream = new RegionStream(world, {})
  await world.run(stream.open(provider, signal))
  await world.run(stream.take(seconds(1), signal))
  newest().push(new Error('closed'))
  await world.runFor(seconds(1))
  expect(world.pending).toBe(0)
})
