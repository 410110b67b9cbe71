import { type LogLine, maxLogLineBytes } from '@stead/provider-kit'
import { type Instant, instant } from '@stead/world'

export type Stream = LogLine['stream']

/** A line as it is kept: the moment, the stream, whether it goes on in the next one, and its bytes. */
export interface LogRecord {
  readonly at: Instant
  readonly stream: Stream
  readonly partial: boolean
  readonly text: Buffer
}

const newline = 10

export const encodeRecord = ({ at, stream, partial, text }: LogRecord): Buffer =>
  Buffer.concat([
    Buffer.from(`${at} ${stream === 'stdout' ? 'o' : 'e'}${partial ? '+' : '.'} `),
    text,
    Buffer.of(newline),
  ])

/** What a line of a log file says; undefined for one that was cut off by a crash. */
export function decodeRecord(line: Buffer): LogRecord | undefined {
  const space = line.indexOf(32)
  if (space < 1 || line[space + 3] !== 32) return undefined
  const at = Number(line.subarray(0, space).toString('latin1'))
  if (!Number.isSafeInteger(at)) return undefined
  return {
    at: instant(at),
    stream: line[space + 1] === 101 ? 'stderr' : 'stdout',
    partial: line[space + 2] === 43,
    text: line.subarray(space + 4),
  }
}

/** Cuts what a stream prints into lines, and long lines into pieces that end between two characters. */
export class LineCutter {
  #rest: Buffer = Buffer.alloc(0);

  *push(chunk: Buffer): Generator<{ text: Buffer; partial: boolean }> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      const end = this.#rest.indexOf(newline)
      if (end !== -1 && end <= maxLogLineBytes) {
        yield { text: this.#rest.subarray(0, end), partial: false }
        this.#rest = this.#rest.subarray(end + 1)
      } else if (this.#rest.length > maxLogLineBytes) {
        const cut = characterBefore(this.#rest, maxLogLineBytes)
        yield { text: this.#rest.subarray(0, cut), partial: true }
        this.#rest = this.#rest.subarray(cut)
      } else return
    }
  }

  /** What was printed last without an end of line. */
  *end(): Generator<{ text: Buffer; partial: boolean }> {
    if (this.#rest.length > 0) yield { text: this.#rest, partial: false }
    this.#rest = Buffer.alloc(0)
  }
}

/** The last place at or before `index` where a UTF-8 character begins. Bytes that are no UTF-8 are cut anywhere. */
function characterBefore(bytes: Buffer, index: number): number {
  for (let at = index; at > index - 4; at--) if ((bytes[at]! & 0xc0) !== 0x80) return at
  return index
}
