import { expect, test } from 'vitest'
import { KnownChunks, PrintedLines } from './printed-lines.ts'

const line = (number: number, time: number) =>
  `data: {"line":"xx n=${String(number).padStart(9, '0')} t=${String(time).padStart(13, '0')}"}\n\n`

function read(text: string, pieceLength: number, known = new KnownChunks()): number[] {
  const late: number[] = []
  const printed = new PrintedLines(each => late.push(each), known)
  for (let at = 0; at < text.length; at += pieceLength)
    printed.push(Buffer.from(text.slice(at, at + pieceLength)), 1_000_000_000_100)
  return late
}

test('every line is found with its time, wherever what is sent is cut', () => {
  const text = line(7, 1_000_000_000_000) + line(8, 1_000_000_000_010) + line(9, 1_000_000_000_099)
  for (let length = 1; length <= text.length; length++) expect(read(text, length)).toEqual([100, 90, 1])
})

test('a line that is lost or doubled is refused', () => {
  expect(() => read(line(1, 0) + line(3, 0), 1_000)).toThrow('line 3 came where 2 was due')
  expect(() => read(line(1, 0) + line(1, 0), 1_000)).toThrow('line 1 came where 2 was due')
})

test('what another follower of the log was sent is found the same, and still refused where a line is missing', () => {
  const known = new KnownChunks()
  const text = line(7, 1_000_000_000_000) + line(8, 1_000_000_000_010)
  for (let follower = 0; follower < 2; follower++) expect(read(text, 1_000, known)).toEqual([100, 90])
  const gap = line(10, 1_000_000_000_020)
  read(gap, gap.length, known)
  expect(() => read(line(8, 0) + gap, gap.length, known)).toThrow('line 10 came where 9 was due')
})
