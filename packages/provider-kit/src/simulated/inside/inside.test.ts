import { instant, realWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxLogLineBytes } from '../../groups/logs.ts'
import { Disk } from './disk.ts'
import { LogBook } from './log-book.ts'
import { carried, Pipe } from './pipe.ts'

const lines = (book: LogBook, after = 0) => book.after(after, 100).map(({ line }) => line)

test('a log keeps the last lines, and says when some are missing', () => {
  const book = new LogBook(3)
  for (let i = 1; i <= 10; i++) book.print(instant(i), 'web', 'stdout', `line ${i}`)
  const kept = book.after(0, 100)
  expect(kept.at(-1)).toMatchObject({ line: 'line 10', cursor: '10' })
  expect(kept[0]!.gap).toBe(true)
  expect(kept.slice(1).every(line => line.gap === undefined)).toBe(true)
  expect(book.after(9, 100)).toEqual([{ at: 10, service: 'web', stream: 'stdout', line: 'line 10', cursor: '10' }])
})

test('the last lines are counted among those that match', () => {
  const book = new LogBook(100)
  for (let i = 1; i <= 6; i++) book.print(instant(i), i % 2 ? 'odd' : 'even', 'stdout', String(i))
  const place = book.beforeLast(2, ({ service }) => service === 'odd')
  expect(lines(book, place)).toEqual(['3', '4', '5', '6'])
  expect(book.beforeLast(9, () => true)).toBe(0)
})

test('a long line comes in pieces that are whole again when joined', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: 1, max: 9_000 }), (text, times) => {
      const book = new LogBook(100)
      const long = `${text}é`.repeat(times)
      book.print(instant(1), 'web', 'stdout', long)
      const pieces = book.after(0, 100)
      expect(pieces.map(({ line }) => line).join('')).toBe(long)
      for (const { line } of pieces) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxLogLineBytes)
      expect(pieces.map(({ partial }) => partial ?? false)).toEqual(pieces.map((_, i) => i < pieces.length - 1))
    }),
    { numRuns: 30 },
  ))

test('a copy of a disk shares until one of the two writes', () => {
  const disk = new Disk([['/a', Buffer.from('1')]])
  const copy = disk.copy()
  disk.write('/a', Buffer.from('22'))
  copy.write('/b', Buffer.from('333'))
  expect([disk.read('/a')?.length, disk.read('/b')]).toEqual([2, undefined])
  expect([copy.read('/a')?.length, copy.read('/b')?.length]).toEqual([1, 3])
  expect([disk.bytes, copy.bytes]).toEqual([2, 4])
  copy.delete('/a')
  expect(disk.read('/a')).toBeDefined()
})

test('a full pipe holds its writer up until somebody reads', async () => {
  const pipe = new Pipe<number>(2)
  await pipe.write(1)
  let written = false
  const writing = pipe.write(2).then(() => {
    written = true
  })
  await Promise.resolve()
  expect(written).toBe(false)
  expect(await pipe.take()).toEqual([1, 2])
  await writing
  pipe.end()
  expect(await pipe.take()).toBeUndefined()
})

test('a pipe that ends with an error is read to the end first', async () => {
  const pipe = new Pipe<number>()
  await pipe.write(1)
  pipe.end(new Error('broke off'))
  const read: number[] = []
  let left = 0
  const reading = (async () => {
    for await (const item of carried(pipe, realWorld, { leave: () => left++ })) read.push(item)
  })()
  await expect(reading).rejects.toThrow('broke off')
  expect([read, left]).toEqual([[1], 1])
})
