/** What printers print, as Perl writes it: a number without gaps, and the moment in milliseconds. */
export const printedFormat = 'n=%09d t=%013d'

const marker = Buffer.from(' n=')
const numberDigits = 9
const timeDigits = 13
const timeAt = marker.length + numberDigits + ' t='.length
const wholeLength = timeAt + timeDigits

/** Finds lines of printers in what a follower is sent, whatever is around them, and refuses one that is lost or doubled. */
export class PrintedLines {
  readonly #onLine: (late: number) => void
  /** What may be the beginning of a line whose rest is still to come. */
  #rest: Buffer | undefined
  #next: number | undefined

  constructor(onLine: (late: number) => void) {
    this.#onLine = onLine
  }

  push(chunk: Buffer, now: number): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    let end = 0
    for (let at = bytes.indexOf(marker); at >= 0 && at + wholeLength <= bytes.length; at = bytes.indexOf(marker, end)) {
      end = at + wholeLength
      this.#check(digits(bytes, at + marker.length, numberDigits))
      this.#onLine(now - digits(bytes, at + timeAt, timeDigits))
    }
    const last = Math.max(end, bytes.length - wholeLength)
    const isWhole = bytes.at(-1) === newline || last === bytes.length
    // Copied, for what is read next is read into the same bytes.
    this.#rest = isWhole ? undefined : Buffer.from(bytes.subarray(last))
  }

  #check(number: number): void {
    if (this.#next !== undefined && number !== this.#next)
      throw new Error(`line ${number} came where ${this.#next} was due`)
    this.#next = number + 1
  }
}

const newline = 10
const zero = 48

function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at++) value = value * 10 + bytes[at]! - zero
  return value
}
