import { Paint, paints } from './paint.ts'

export const formats = ['table', 'wide', 'json', 'yaml', 'name'] as const
export type Format = (typeof formats)[number]

/** A column of a table: its head, and what it shows of an object. */
export interface Column<Of> {
  readonly head: string
  readonly show: (object: Of, paint: Paint) => string
  /** Only where there is room for more. */
  readonly wide?: boolean
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** What a command says: results on standard output, for people or programs; everything else on standard error. */
export class Output {
  readonly isJson: boolean
  readonly paint: Paint
  /** Whether a person watches what is said beside the results. */
  readonly isWatched: boolean
  readonly #streams: OutputStreams

  constructor(streams: OutputStreams, env: NodeJS.ProcessEnv, isJson: boolean) {
    this.#streams = streams
    this.isJson = isJson
    this.paint = new Paint(paints(streams.stdout, env))
    this.isWatched = Boolean(streams.stderr.isTTY) && env.TERM !== 'dumb'
  }

  line(text: string): void {
    this.#streams.stdout.write(`${text}\n`)
  }

  /** As it is, with no end of line of ours. */
  text(text: string): void {
    this.#streams.stdout.write(text)
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, null, 2))
  }

  /** What a command did: a sentence, or all of it for programs. */
  result(text: string, value: unknown): void {
    if (this.isJson) this.json(value)
    else this.line(text)
  }

  /** Beside the results: never in the way of a program that reads them. */
  note(text: string): void {
    this.#streams.stderr.write(`${text}\n`)
  }

  /** Replaces the line that a person sees; nothing in a pipe. */
  status(text: string): void {
    // Some terminals say that they have no columns at all.
    const { columns } = this.#streams.stderr
    if (this.isWatched) this.#streams.stderr.write(`\r\x1b[K${text.slice(0, (columns || 80) - 1)}`)
  }

  table<Of>(columns: readonly Column<Of>[], objects: readonly Of[], { isWide = false } = {}): void {
    const shown = columns.filter(({ wide }) => isWide || !wide)
    const rows = [
      shown.map(({ head }) => this.paint.dim(head)),
      ...objects.map(object => shown.map(({ show }) => show(object, this.paint) || '-')),
    ]
    const widths = shown.map((_, column) => Math.max(...rows.map(row => visible(row[column]!).length)))
    for (const row of rows) {
      const cells = row.map((cell, column) => cell + ' '.repeat(widths[column]! - visible(cell).length))
      this.line(cells.join('  ').trimEnd())
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are such characters, and take no room
const visible = (text: string): string => text.replaceAll(/\x1b\[\d+m/g, '')
