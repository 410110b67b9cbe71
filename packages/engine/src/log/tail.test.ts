import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GoneError, UnavailableError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import { LogTail, type LogTailOptions } from './tail.ts'

const entry = (revision: number): LogEntry => ({
  revision,
  at: instant(revision),
  changes: [{ op: 'put', object: object(revision) }],
})
const object = (revision: number) => ({
  kind: 'widget',
  id: `w${revision}`,
  labels: {},
  finalizers: [],
  createdAt: instant(1),
  spec: {},
  status: {},
  generation: 1,
  revision,
})
const entries = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => entry(from + i))

/** A tail over a log that is an array, with reads that can be counted and held up. */
function newTail(options: Partial<LogTailOptions> = {}) {
  const log: LogEntry[] = []
  const state = { compacted: options.compacted ?? 0, reads: 0, gate: Promise.resolve() }
  const tail = new LogTail({
    head: 0,
    compacted: 0,
    capacity: 4,
    async readLog(after, limit) {
      state.reads += 1
      await state.gate
      const from = Math.max(after, state.compacted)
      return { compacted: state.compacted, entries: log.filter(({ revision }) => revision > from).slice(0, limit) }
    },
    ...options,
  })
  return {
    tail,
    state,
    append(from: number, to = from) {
      log.push(...entries(from, to))
      for (const each of entries(from, to)) tail.append([each])
    },
    compact(through: number) {
      state.compacted = through
      tail.compactedThrough(through)
    },
  }
}

const never = new AbortController().signal
const open = (tail: LogTail, after: number, signal = never) => tail.watch(after, signal)[Symbol.asyncIterator]()
const revisions = (result: IteratorResult<readonly LogEntry[]>) =>
  result.done ? 'ended' : result.value.map(({ revision }) => revision)

test('a hole or a repeat never enters', () => {
  const { tail, append } = newTail()
  append(1, 3)
  for (const wrong of [[3], [5], [4, 6], [4, 4], [0]])
    expect(() => tail.append(wrong.map(entry))).toThrow('the log has a hole')
  expect(tail.head).toBe(3)
  append(4)
  expect(tail.head).toBe(4)
})

test('a waiting watcher is woken in the same turn, before anything else runs', async () => {
  const { tail, append } = newTail()
  const watcher = open(tail, 0)
  const order: string[] = []
  const woken = watcher.next().then(() => order.push('watcher'))
  append(1)
  const later = new Promise<void>(resolve => setImmediate(resolve)).then(() => order.push('next turn'))
  await Promise.all([woken, later])
  expect(order).toEqual(['watcher', 'next turn'])
})

test('watchers that are up to date share one array', async () => {
  const { tail } = newTail()
  const [a, b] = [open(tail, 0).next(), open(tail, 0).next()]
  tail.append(entries(1, 2))
  expect((await a).value).toBe((await b).value)
})

test('what memory has forgotten is read back, what it holds is not', async () => {
  const { tail, append, state } = newTail()
  append(1, 20)
  const old = open(tail, 3)
  expect(revisions(await old.next())).toEqual(entries(4, 20).map(({ revision }) => revision))
  expect(state.reads).toBe(1)
  append(21)
  expect(revisions(await open(tail, 19).next())).toEqual([20, 21])
  expect(revisions(await old.next())).toEqual([21])
  expect(state.reads).toBe(1)
})

test('a watcher held up by a slow read delays no other', async () => {
  const { tail, append, state } = newTail()
  append(1, 20)
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const slow = open(tail, 0)
  const waiting = slow.next()
  const quick = open(tail, 20).next()
  append(21)
  expect(revisions(await quick)).toEqual([21])
  gate.resolve()
  expect(revisions(await waiting)).toEqual(entries(1, 21).map(({ revision }) => revision))
})

test('behind the compaction point is gone: at the start, and for one that became too slow', async () => {
  const { tail, append, compact } = newTail()
  append(1, 20)
  const slow = open(tail, 0)
  await slow.next()
  append(21, 40)
  compact(30)
  await expect(open(tail, 29).next()).rejects.toThrow(GoneError)
  await expect(slow.next()).rejects.toMatchObject({ compacted: 30 })
  expect(revisions(await open(tail, 30).next())).toEqual(entries(31, 40).map(({ revision }) => revision))
  expect(await slow.next()).toEqual({ done: true, value: undefined })
})

test('a compaction another node made, seen only by the read, is gone too', async () => {
  const { tail, append, state } = newTail()
  append(1, 20)
  state.compacted = 10
  await expect(open(tail, 2).next()).rejects.toMatchObject({ compacted: 10 })
  expect(tail.compacted).toBe(10)
})

test('a node that fell behind the compaction point starts anew and tells its watchers', async () => {
  const { tail, append, compact } = newTail()
  append(1, 3)
  const waiting = open(tail, 3).next()
  compact(50)
  await expect(waiting).rejects.toThrow(GoneError)
  expect(tail.head).toBe(50)
  const next = open(tail, 50).next()
  append(51)
  expect(revisions(await next)).toEqual([51])
})

test('a hole in what is read back is an error, never skipped', async () => {
  const { tail, append } = newTail({ readLog: async () => ({ compacted: 0, entries: [entry(2)] }) })
  append(1, 20)
  await expect(open(tail, 0).next()).rejects.toThrow('the log has a hole')
})

test('a watcher ahead of this node waits until the node has caught up', async () => {
  const { tail, append } = newTail()
  const ahead = open(tail, 2).next()
  append(1)
  append(2)
  append(3)
  expect(revisions(await ahead)).toEqual([3])
})

test('aborted watchers end at once and leave nothing behind', async () => {
  const { tail, append, state } = newTail()
  append(1, 20)
  state.gate = new Promise(() => {})
  const controller = new AbortController()
  const waiting = Array.from({ length: 100 }, () => open(tail, 20, controller.signal).next())
  const reading = open(tail, 0, controller.signal).next()
  expect(tail.waiters).toBe(100)
  controller.abort()
  for (const result of await Promise.all([...waiting, reading])) expect(result.done).toBe(true)
  expect(tail.waiters).toBe(0)
  expect((await open(tail, 0, controller.signal).next()).done).toBe(true)
})

test('a watch can be left while it waits', async () => {
  const { tail } = newTail()
  const watcher = open(tail, 0)
  const waiting = watcher.next()
  await watcher.return?.()
  expect((await waiting).done).toBe(true)
  expect(tail.waiters).toBe(0)
})

test('closing ends every watch; failing tells why', async () => {
  const closed = newTail()
  const quiet = open(closed.tail, 0).next()
  closed.tail.close()
  expect((await quiet).done).toBe(true)
  const failed = newTail()
  const told = open(failed.tail, 0).next()
  failed.tail.close(new UnavailableError('the disk is gone'))
  await expect(told).rejects.toThrow('the disk is gone')
  await expect(open(failed.tail, 0).next()).rejects.toThrow('the disk is gone')
})

test('a watcher that was busy when the store closed still gets what memory holds, and then its end', async () => {
  const { tail, append } = newTail()
  append(1, 20)
  const [near, far] = [open(tail, 18), open(tail, 0)]
  tail.close()
  expect(revisions(await near.next())).toEqual([19, 20])
  expect((await near.next()).done).toBe(true)
  expect((await far.next()).done).toBe(true)
})

test('asking twice at once is refused, not answered twice', async () => {
  const { tail, append } = newTail()
  const watcher = open(tail, 0)
  const first = watcher.next()
  await expect(watcher.next()).rejects.toThrow('before it gave the last one')
  append(1)
  expect(revisions(await first)).toEqual([1])
})

test('only a revision can be watched from', () => {
  const { tail } = newTail()
  for (const wrong of [-1, 1.5, Number.NaN]) expect(() => tail.watch(wrong, never)).toThrow(RangeError)
})

/** Whatever is appended, compacted and asked for, in whatever order: each watcher sees its stretch once, or is told it is gone. */
test('watch = log', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.record({ append: fc.integer({ min: 1, max: 9 }) }), fc.record({ compact: fc.nat(60) }))),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.boolean()),
      async (steps, starts, coins) => {
        const { tail, append, compact } = newTail()
        const stop = new AbortController()
        const gone = new Set<number>()
        const seen = starts.map(() => [] as number[])
        const watching = starts.map(async (after, index) => {
          try {
            for await (const batch of tail.watch(after, stop.signal)) {
              seen[index]!.push(...batch.map(({ revision }) => revision))
              while (coins.next().value) await Promise.resolve()
            }
          } catch (error) {
            expect(error).toBeInstanceOf(GoneError)
            gone.add(index)
          }
        })
        for (const step of steps) {
          if ('append' in step) append(tail.head + 1, tail.head + step.append)
          else compact(Math.min(step.compact, tail.head))
          while (coins.next().value) await Promise.resolve()
        }
        await new Promise<void>(resolve => setImmediate(resolve))
        stop.abort()
        await Promise.all(watching)
        for (const [index, after] of starts.entries()) {
          const expected = entries(after + 1, tail.head).map(({ revision }) => revision)
          if (gone.has(index)) expect(seen[index]).toEqual(expected.slice(0, seen[index]!.length))
          else expect(seen[index]).toEqual(after < tail.head ? expected : [])
        }
      },
    ),
  ))
