import { open, readdir } from 'node:fs/promises'
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

const chunkBytes = 256 * 1_024
const newline = 10

/** The log of one service, read while it is written. */
export class ServiceLog {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Reads on from a position. A log that does not exist yet is empty. */
  async read([segment, offset]: Position): Promise<Batch> {
    // Which segments there are is asked first: a segment that is not the last one gets no more lines.
    const numbers = await this.#segments()
    const oldest = numbers[0]
    if (oldest === undefined) return { records: [], next: [segment, offset], isEnd: true }
    const gap = segment > 0 && segment < oldest
    const number = segment < oldest ? oldest : segment
    const begin = segment < oldest ? 0 : offset
    const bytes = await this.#bytes(number, begin)
    const records = bytes ? cut(bytes, number, begin, gap) : []
    const last = records.at(-1)
    if (last) return { records, next: last.next, isEnd: false }
    const following = numbers.find(each => each > number)
    return following === undefined
      ? { records: [], next: [number, begin], isEnd: true }
      : { records: [], next: [following, 0], isEnd: false }
  }

  /** Where the last `count` lines begin. */
  async tail(count: number): Promise<Position> {
    const numbers = await this.#segments()
    let position: Position = [0, 0]
    let left = count
    for (const number of numbers.toReversed()) {
      const starts: number[] = []
      let batch = await this.read([number, 0])
      let begin = 0
      while (batch.records.length > 0 && batch.records[0]!.next[0] === number) {
        for (const record of batch.records) {
          starts.push(begin)
          begin = record.next[1]
        }
        batch = await this.read([number, begin])
      }
      position = [number, left === 0 ? begin : (starts.at(-left) ?? 0)]
      if (starts.length >= left) return position
      left -= starts.length
    }
    return position
  }

  async #segments(): Promise<number[]> {
    try {
      return segmentNumbers(await readdir(this.#directory))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  /** From there to the end of a line, or of the file; undefined when it was removed meanwhile. */
  async #bytes(segment: number, offset: number): Promise<Buffer | undefined> {
    const file = await open(segmentPath(this.#directory, segment)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (!file) return undefined
    try {
      const buffer = Buffer.allocUnsafe(chunkBytes)
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }
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
