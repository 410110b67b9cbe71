import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type LogLine, type LogRequest, maxLogLineBytes } from '@stead/provider-kit'
import { fillDisk, loopFilesystem, temporaryDirectory, testWith } from '@stead/testing'
import { instant, realWorld as world } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLogs } from './reader.ts'
import { LineCutter } from './record.ts'
import { LogWriter } from './writer.ts'

const small = { segmentBytes: 200, segments: 3 }

async function all(directory: string, services: readonly string[], request: LogRequest = {}): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for await (const line of readLogs({ world, directory, services }, request, new AbortController().signal))
    lines.push(line)
  return lines
}

const texts = (lines: readonly LogLine[]) => lines.map(({ line }) => line)
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)

test('however a text is cut on its way, the same lines come out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(50)), (text, cuts) => {
      const bytes = Buffer.from(`${text}\n`)
      const cutter = new LineCutter()
      const lines: string[] = []
      let at = 0
      for (const length of [...cuts, bytes.length]) {
        for (const line of cutter.push(bytes.subarray(at, at + length))) lines.push(line.text.toString())
        at += length
      }
      expect(lines).toEqual(text.split('\n'))
    }),
  )
})

test('a long line is cut between two characters', () => {
  const long = 'é'.repeat(maxLogLineBytes)
  const pieces = [...new LineCutter().push(Buffer.from(`x${long}\n`))]
  expect(pieces.map(({ partial }) => partial)).toEqual([true, true, false])
  expect(pieces.map(({ text }) => text.toString()).join('')).toBe(`x${long}`)
  for (const { text } of pieces) expect(text.length).toBeLessThanOrEqual(maxLogLineBytes)
})

test('old segments go, and a reader who was further back is told of the gap', async () => {
  const directory = temporaryDirectory()
  const writer = new LogWriter(world, join(directory, 'main'), small)
  writer.write('stdout', Buffer.from('line 1\n'))
  const [first] = await all(directory, ['main'])
  for (const line of numbered(2, 100)) writer.write('stdout', Buffer.from(`${line}\n`))
  const rest = await all(directory, ['main'], { after: first!.cursor })
  expect(rest[0]!.gap).toBe(true)
  expect(rest.slice(1).every(({ gap }) => gap === undefined)).toBe(true)
  expect(texts(rest)).toEqual(numbered(101 - rest.length, 100))
  expect(rest.length).toBeLessThan(60)
  writer.close()
})

test('the last lines are found across segments', async () => {
  const directory = temporaryDirectory()
  const writer = new LogWriter(world, join(directory, 'main'), small)
  for (const line of numbered(1, 20)) writer.write('stdout', Buffer.from(`${line}\n`))
  for (const tail of [0, 1, 7, 15])
    expect(texts(await all(directory, ['main'], { tail }))).toEqual(numbered(21 - tail, 20))
  writer.close()
})

test('the last lines are found however much they are', async () => {
  const directory = temporaryDirectory()
  const writer = new LogWriter(world, join(directory, 'main'), { ...small, segmentBytes: 200_000 })
  for (const line of numbered(1, 900)) writer.write('stdout', Buffer.from(`${line}${' '.repeat(100)}\n`))
  const last = async (tail: number) => texts(await all(directory, ['main'], { tail })).map(text => text.trim())
  for (const tail of [1, 100, 500, 899, 900, 5_000])
    expect(await last(tail)).toEqual(numbered(Math.max(1, 901 - tail), 900))
  writer.close()
})

test('a follower across rotations and a writer that was started anew loses and doubles no line', async () => {
  const directory = temporaryDirectory()
  const stop = new AbortController()
  const seen: string[] = []
  let writer = new LogWriter(world, join(directory, 'main'), { ...small, segments: 100 })
  const following = (async () => {
    for await (const { line } of readLogs({ world, directory, services: ['main'] }, { follow: true }, stop.signal)) {
      seen.push(line)
      if (line === 'line 300') stop.abort(new Error('enough'))
    }
  })()
  for (const [index, line] of numbered(1, 300).entries()) {
    writer.write('stdout', Buffer.from(`${line}\n`))
    if (index === 150) {
      writer.close()
      writer = new LogWriter(world, join(directory, 'main'), { ...small, segments: 100 })
    }
    if (index % 20 === 0) await new Promise(resolve => setTimeout(resolve, 2))
  }
  await expect(following).rejects.toThrow('enough')
  expect(seen).toEqual(numbered(1, 300))
  writer.close()
})

test('several services are told in the order of time, and one cursor goes on in all of them', async () => {
  const directory = temporaryDirectory()
  let now = 1_000
  const clock = { ...world, now: () => instant(now) }
  const writers = { a: new LogWriter(clock, join(directory, 'a')), b: new LogWriter(clock, join(directory, 'b')) }
  for (const [index, line] of numbered(1, 10).entries()) {
    now += 10
    writers[index % 3 === 0 ? 'a' : 'b'].write('stderr', Buffer.from(`${line}\n`))
  }
  const lines = await all(directory, ['a', 'b'])
  expect(texts(lines)).toEqual(numbered(1, 10))
  expect(texts(await all(directory, ['a', 'b'], { after: lines[4]!.cursor }))).toEqual(numbered(6, 10))
  for (const writer of Object.values(writers)) writer.close()
})

test('a follower of a log that was removed and begun anew under the same name sees the new one', async () => {
  const directory = temporaryDirectory()
  const stop = new AbortController()
  const seen: string[] = []
  const write = (line: string) => {
    const writer = new LogWriter(world, join(directory, 'main'), { ...small, segments: 100 })
    writer.write('stdout', Buffer.from(`${line}\n`))
    writer.close()
  }
  write('of the one before')
  const following = (async () => {
    for await (const { line } of readLogs({ world, directory, services: ['main'] }, { follow: true }, stop.signal))
      seen.push(line)
  })()
  await expect.poll(() => seen).toEqual(['of the one before'])
  for (const name of readdirSync(join(directory, 'main'))) rmSync(join(directory, 'main', name))
  write('what the next one prints is longer, and so is after where the other one ended')
  write('and there is more of it')
  await expect.poll(() => seen.at(-1)).toBe('and there is more of it')
  stop.abort(new Error('enough'))
  await expect(following).rejects.toThrow('enough')
})

test('a line that a crash cut off is left out', async () => {
  const directory = temporaryDirectory()
  const writer = new LogWriter(world, join(directory, 'main'))
  writer.write('stdout', Buffer.from('whole\nunfinished'))
  writer.close()
  expect(texts(await all(directory, ['main']))).toEqual(['whole'])
})

test('a follower ends when the log is removed', async () => {
  const directory = temporaryDirectory()
  const writer = new LogWriter(world, join(directory, 'logs', 'main'))
  writer.write('stdout', Buffer.from('only\n'))
  const lines: string[] = []
  for await (const { line } of readLogs(
    { world, directory: join(directory, 'logs'), services: ['main'] },
    { follow: true },
    new AbortController().signal,
  )) {
    lines.push(line)
    setTimeout(() => rmSync(join(directory, 'logs'), { recursive: true }), 20)
  }
  expect(lines).toEqual(['only'])
  writer.close()
})

testWith('loop filesystem', 'a full disk costs lines and nothing else', async () => {
  const directory = loopFilesystem(8)
  const writer = new LogWriter(world, join(directory, 'main'))
  writer.write('stdout', Buffer.from('before\n'))
  fillDisk(directory)
  for (let count = 0; count < 50; count++) writer.write('stdout', Buffer.from(`${'x'.repeat(1_000)}\n`))
  rmSync(join(directory, 'filler'))
  writer.write('stdout', Buffer.from('after\n'))
  const lines = texts(await all(directory, ['main']))
  expect([lines[0], lines.at(-1)]).toEqual(['before', 'after'])
  writer.close()
})

test('what is no cursor is refused', async () => {
  await expect(all(temporaryDirectory(), ['main'], { after: 'nonsense' })).rejects.toThrow('no cursor')
})
