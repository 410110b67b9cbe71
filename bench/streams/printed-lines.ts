/** What printers print, as Perl writes it: a number without gaps, and the moment in milliseconds. */
export const printedFormat = 'n=%09d t=%013d'

const marker = Buffer.from(' n=')
const numberDigits = 9
const timeDigits = 13
const timeAt = marker.length + numberDigits + ' t='.length
const wholeLength = timeAt + timeDigits

/** Whole lines that came together, one number after the other. */
interface Chunk {
  readonly bytes: Buffer
  readonly first: number
  readonly times: readonly number[]
}

/** Chunks of one log that its followers are sent about now. */
const mostKept = 4

/**
 * What followers of one log are sent is mostly the same bytes: taken apart for the first, and only compared with that for the
 * others, or half a million lines a second would keep the machine busy that the server needs.
 */
export class KnownChunks {
  readonly #chunks: Chunk[] = []

  find(bytes: Buffer): Chunk | undefined {
    return this.#chunks.find(chunk => chunk.bytes.equals(bytes))
  }

  keep(bytes: Buffer, first: number, times: readonly number[]): void {
    // Copied, for what is read next is read into the same bytes.
    this.#chunks.unshift({ bytes: Buffer.from(bytes), first, times })
    if (this.#chunks.length > mostKept) this.#chunks.pop()
  }
}

/** Finds lines of printers in what a follower is sent, whatever is around them, and refuses one that is lost or doubled. */
export class PrintedLines {
  readonly #onLine: (late: number) => void
  readonly #known: KnownChunks
  /** What may be the beginning of a line whose rest is still to come. */
  #rest: Buffer | undefined
  #next: number | undefined

  constructor(onLine: (late: number) => void, known: KnownChunks) {
    this.#onLine = onLine
    this.#known = known
  }

  push(chunk: Buffer, now: number): void {
    const known = this.#rest ? undefined : this.#known.find(chunk)
    const { first, times } = known ?? this.#read(chunk)
    if (times.length === 0) return
    if (this.#next !== undefined && first !== this.#next) throw wrongLine(first, this.#next)
    this.#next = first + times.length
    for (const time of times) this.#onLine(now - time)
  }

  #read(chunk: Buffer): Omit<Chunk, 'bytes'> {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    const times: number[] = []
    let first = 0
    let end = 0
    for (let at = bytes.indexOf(marker); at >= 0 && at + wholeLength <= bytes.length; at = bytes.indexOf(marker, end)) {
      end = at + wholeLength
      const number = digits(bytes, at + marker.length, numberDigits)
      if (times.length === 0) first = number
      else if (number !== first + times.length) throw wrongLine(number, first + times.length)
      times.push(digits(bytes, at + timeAt, timeDigits))
    }
    const last = Math.max(end, bytes.length - wholeLength)
    const isWhole = bytes.at(-1) === newline || last === bytes.length
    if (isWhole && bytes === chunk && times.length > 0) this.#known.keep(bytes, first, times)
    this.#rest = isWhole ? undefined : Buffer.from(bytes.subarray(last))
    return { first, times }
  }
}

const wrongLine = (number: number, due: number) => new Error(`line ${number} came where ${due} was due`)

const newline = 10
const zero = 48

function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at++) value = value * 10 + bytes[at]! - zero
  return value
}
