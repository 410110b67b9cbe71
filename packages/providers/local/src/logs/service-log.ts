import { readSync } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { decodeRecord, type LogRecord } from './record.ts'
import { segmentNumbers, segmentPath } from './segments.ts'

/** A place in the log of one service: a segment and a byte in it. */
export type Position = readonly [segment: number, offset: number]

export interface PlacedRecord extends LogRecord {
  /** Where the next one begins. */
  readonly next: Position
  /** Something between the position asked for and this record is no longer kept. */
  readonly gap: boolean
}

export interface Batch {
  readonly records: readonly PlacedRecord[]
  readonly next: Position
  /** There was nothing more when this was read. */
  readonly isEnd: boolean
}

/** More than the longest record. */
const chunkBytes = 256 * 1_024
/** Who follows a log reads a line or two at a time, many times a second. */
const fewBytes = 8 * 1_024
/** A tail is mostly short. */
const tailBytes = 16 * 1_024
const newline = 10

interface OpenSegment {
  readonly number: number
  readonly file: FileHandle
}

/** The log of one service, read while it is written, by one reader. The file it reads stays open until it is closed. */
export class ServiceLog {
  readonly #directory: string
  #open: OpenSegment | undefined
  /** How much is read at once: more where there was more than that. */
  #length = fewBytes
  /** Whether there was no more: then what is read next was written a moment ago, and is in memory. */
  #wasAtEnd = false
  /** What is read into, again and again: a new one each time would have the collector run all the time. */
  #buffer = Buffer.alloc(0)
  /** The last segment there was when it was last asked which there are. */
  #newest: number | undefined

  constructor(directory: string) {
    this.#directory = directory
  }

  async close(): Promise<void> {
    const { file } = this.#open ?? {}
    this.#open = undefined
    await file?.close()
  }

  /** Reads on from a position. A log that does not exist yet is empty. The bytes of a batch are its own until the next is read. */
  async read([segment, offset]: Position): Promise<Batch> {
    // What is new is nearly always in the file that was read last: then nothing else is asked.
    const known = this.#open?.number === segment ? this.#open : undefined
    const length = this.#length
    const bytes =
      known && (this.#wasAtEnd ? this.#readNow(known.file, offset) : await this.#readAt(known.file, offset, length))
    this.#length = bytes?.length === length ? Math.min(chunkBytes, length * 4) : fewBytes
    this.#wasAtEnd = bytes !== undefined && bytes.length < length
    const found = bytes && batchOf(cut(bytes, segment, offset, false))
    // Less than was asked for is all there is; if a segment was begun since, whoever follows is told of that change.
    if (found) return { ...found, isEnd: bytes.length < length && segment === this.#newest }
    // Which segments there are is asked first: a segment that is not the last one gets no more lines.
    const numbers = await this.#segments()
    // What was written after the end was read is found by the next read, whoever asks for it.
    if (bytes?.length === 0 && numbers.at(-1) === segment && (await isThere(known!))) return nothing([segment, offset])
    const oldest = numbers[0]
    if (oldest === undefined) return nothing([segment, offset])
    const gap = segment > 0 && segment < oldest
    const number = segment < oldest ? oldest : segment
    const begin = segment < oldest ? 0 : offset
    const open = await this.#segment(number)
    const more = open && batchOf(cut(await this.#readAt(open.file, begin, chunkBytes), number, begin, gap))
    if (more) return more
    const following = numbers.find(each => each > number)
    return following === undefined ? nothing([number, begin]) : { records: [], next: [following, 0], isEnd: false }
  }

  /** Where the last `count` lines begin. Read from the end: a log of many megabytes costs no more than a short one. */
  async tail(count: number): Promise<Position> {
    let position: Position = [0, 0]
    let left = count
    for (const number of (await this.#segments()).toReversed()) {
      const open = await this.#segment(number)
      if (!open) continue
      const last = await lastLines(open.file, left)
      position = [number, last.begin]
      if (last.count >= left) return position
      left -= last.count
    }
    return position
  }

  #readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
    return readAt(file, this.#room(length), offset)
  }

  /** A few microseconds, where a thread in between takes a hundred, and a moment on a busy machine. */
  #readNow(file: FileHandle, offset: number): Buffer {
    const buffer = this.#room(fewBytes)
    return buffer.subarray(0, readSync(file.fd, buffer, 0, fewBytes, offset))
  }

  #room(length: number): Buffer {
    if (this.#buffer.length !== length) this.#buffer = Buffer.allocUnsafe(length)
    return this.#buffer
  }

  async #segments(): Promise<number[]> {
    try {
      const numbers = segmentNumbers(await readdir(this.#directory))
      this.#newest = numbers.at(-1)
      return numbers
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  /** Undefined when it was removed meanwhile. */
  async #segment(number: number): Promise<OpenSegment | undefined> {
    const known = this.#open
    if (known?.number === number && (await isThere(known))) return known
    await this.close()
    const file = await open(segmentPath(this.#directory, number)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    this.#open = file && { number, file }
    return this.#open
  }
}

/** One that was removed has no name any more: what is there under its number is another. */
const isThere = async ({ file }: OpenSegment): Promise<boolean> => (await file.stat()).nlink > 0

const nothing = (next: Position): Batch => ({ records: [], next, isEnd: true })

function batchOf(records: readonly PlacedRecord[]): Batch | undefined {
  const last = records.at(-1)
  return last && { records, next: last.next, isEnd: false }
}

async function readAt(file: FileHandle, buffer: Buffer, offset: number): Promise<Buffer> {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
  return buffer.subarray(0, bytesRead)
}

/** Where the last lines of a file begin, and how many they are: all it has, if those are fewer. One without its end is none. */
async function lastLines(
  file: FileHandle,
  wanted: number,
): Promise<{ readonly begin: number; readonly count: number }> {
  let { size: end } = await file.stat()
  let count = 0
  while (end > 0) {
    const start = Math.max(0, end - tailBytes)
    const bytes = await readAt(file, Buffer.allocUnsafe(end - start), start)
    for (let at = bytes.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1)) {
      if (count === wanted) return { begin: start + at + 1, count }
      count++
    }
    end = start
  }
  return { begin: 0, count }
}

function cut(bytes: Buffer, segment: number, offset: number, gap: boolean): PlacedRecord[] {
  const records: PlacedRecord[] = []
  let begin = 0
  for (;;) {
    const end = bytes.indexOf(newline, begin)
    if (end === -1) return records
    const record = decodeRecord(bytes.subarray(begin, end))
    begin = end + 1
    if (record) records.push({ ...record, next: [segment, offset + begin], gap: gap && records.length === 0 })
  }
}
