import type { Instant } from '@stead/world'
import { type LogLine, maxLogLineBytes } from '../../groups/logs.ts'

type Stream = LogLine['stream']

interface Kept {
  readonly number: number
  readonly at: Instant
  readonly service: string
  readonly stream: Stream
  readonly line: string
  readonly partial: boolean
}

/** The last lines a server printed, numbered from 1 over its whole life: a number is a place to go on from. */
export class LogBook {
  readonly #keep: number
  readonly #wakes = new Set<() => void>()
  #lines: Kept[] = []
  #last = 0
  #closed = false

  constructor(keep: number) {
    this.#keep = keep
  }

  /** No line will come any more. */
  get closed(): boolean {
    return this.#closed
  }

  get last(): number {
    return this.#last
  }

  print(at: Instant, service: string, stream: Stream, text: string): void {
    const pieces = inPieces(text)
    for (const [index, line] of pieces.entries())
      this.#lines.push({ number: ++this.#last, at, service, stream, line, partial: index < pieces.length - 1 })
    // Cut down now and then, not at every line.
    if (this.#lines.length > this.#keep * 2) this.#lines = this.#lines.slice(-this.#keep)
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** What comes after this line, at most `limit` of them. A gap says that some of it is no longer kept. */
  after(number: number, limit: number): LogLine[] {
    const first = this.#lines[0]?.number ?? this.#last + 1
    const start = Math.max(0, number + 1 - first)
    return this.#lines.slice(start, start + limit).map(({ partial, number: own, ...line }, index) => ({
      ...line,
      ...(partial && { partial }),
      ...(index === 0 && own > number + 1 && { gap: true }),
      cursor: String(own),
    }))
  }

  /** The number after which the last `count` lines that match begin. */
  beforeLast(count: number, matches: (line: Pick<LogLine, 'at' | 'service'>) => boolean): number {
    let left = count
    for (let i = this.#lines.length - 1; i >= 0; i--) {
      if (left === 0) return this.#lines[i]!.number
      if (matches(this.#lines[i]!)) left--
    }
    return (this.#lines[0]?.number ?? this.#last + 1) - 1
  }

  onChange(wake: () => void): () => void {
    this.#wakes.add(wake)
    return () => this.#wakes.delete(wake)
  }

  #wake(): void {
    for (const wake of this.#wakes) wake()
  }
}

/** Cut by characters: a piece never has half of one, and at most the bytes allowed even if each takes four. */
function inPieces(text: string): string[] {
  if (text.length * 3 <= maxLogLineBytes || Buffer.byteLength(text) <= maxLogLineBytes) return [text]
  const characters = [...text]
  const size = maxLogLineBytes / 4
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(''))
}
