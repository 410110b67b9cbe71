import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { type Instant, instant, type World } from '@stead/world'
import { encodeRecord, LineCutter, type Stream } from './record.ts'
import { defaultRetention, type Retention, segmentNumbers, segmentPath } from './segments.ts'

/**
 * Keeps what a service prints. Lines are written the moment they are read, in the same turn of the event loop: what was
 * taken out of a pipe and is not in a file yet would be lost with us.
 */
export class LogWriter {
  readonly #world: World
  readonly #directory: string
  readonly #retention: Retention
  readonly #cutters = { stdout: new LineCutter(), stderr: new LineCutter() }
  #segment: number
  #file: number
  #size: number
  #last: Instant = instant(0)
  #isTorn = false

  constructor(world: World, directory: string, retention = defaultRetention) {
    this.#world = world
    this.#directory = directory
    this.#retention = retention
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#segment = segmentNumbers(readdirSync(directory)).at(-1) ?? 1
    this.#file = this.#open()
    this.#size = fstatSync(this.#file).size
  }

  write(stream: Stream, chunk: Buffer): void {
    this.#keep(stream, this.#cutters[stream].push(chunk))
  }

  /** What is left of a line is a line when its stream has ended. */
  endOf(stream: Stream): void {
    this.#keep(stream, this.#cutters[stream].end())
  }

  close(): void {
    closeSync(this.#file)
  }

  #keep(stream: Stream, lines: Iterable<{ text: Buffer; partial: boolean }>): void {
    // A wall clock may be set back; a log that is sorted by time stays sorted.
    const at = instant(Math.max(this.#last, this.#world.now()))
    this.#last = at
    const records = [...lines].map(line => encodeRecord({ at, stream, ...line }))
    if (records.length === 0) return
    const bytes = Buffer.concat(records)
    if (!this.#write(bytes)) return
    this.#size += bytes.length
    if (this.#size >= this.#retention.segmentBytes) this.#rotate()
  }

  /** A disk that is full costs lines, and must cost nothing else: what comes after half a line begins a new one. */
  #write(bytes: Buffer): boolean {
    const whole = this.#isTorn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes
    this.#isTorn = true
    try {
      this.#isTorn = writeSync(this.#file, whole) < whole.length
      return !this.#isTorn
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      return false
    }
  }

  #rotate(): void {
    closeSync(this.#file)
    this.#segment++
    this.#file = this.#open()
    this.#size = 0
    const oldest = this.#segment - this.#retention.segments
    for (const number of segmentNumbers(readdirSync(this.#directory)))
      if (number <= oldest) rmSync(segmentPath(this.#directory, number))
  }

  #open(): number {
    return openSync(segmentPath(this.#directory, this.#segment), 'a', 0o600)
  }
}
