import type { LogLine } from '@stead/provider-kit'
import { isoTime } from '@stead/world'
import { Piece } from '../../door/piece.ts'
import { textFrame } from '../../door/text-frame.ts'
import { Time } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { writePlace } from './place.ts'

export const ShownLine = Type.Object(
  {
    ts: Time,
    service: Type.String({ description: 'Empty for a machine.' }),
    stream: Type.Enum(['stdout', 'stderr']),
    line: Type.String(),
    partial: Type.Optional(
      Type.Boolean({ description: 'The line goes on in the next one of the same service and stream.' }),
    ),
    gap: Type.Optional(Type.Boolean({ description: 'Lines before this one are no longer kept.' })),
    cursor: Type.Optional(
      Type.String({ description: 'Where it is, for `after`. Server-sent events have it as their id.' }),
    ),
  },
  { title: 'LogLine' },
)

interface WrittenLine {
  readonly place: string
  /** As JSON, without where it is. */
  readonly data: string
}

function written(server: string, { at, service, stream, line, partial, gap, cursor }: LogLine): WrittenLine {
  const shown = { ts: isoTime(at), service, stream, line, ...(partial && { partial }), ...(gap && { gap }) }
  return { place: writePlace({ server, cursor }), data: JSON.stringify(shown) }
}

/** With where it is. */
const documentOf = ({ place, data }: WrittenLine): string => `${data.slice(0, -1)},"cursor":"${place}"}`

/** Lines that travel together, each written once for all who read them: in each format when it is first asked for. */
export class LogBatch {
  readonly lines: readonly LogLine[]
  readonly #server: string
  #written: readonly WrittenLine[] | undefined
  #events: Piece | undefined
  #documents: Piece | undefined
  #frames: Buffer | undefined

  constructor(server: string, lines: readonly LogLine[]) {
    this.#server = server
    this.lines = lines
  }

  /** The provider's word for where its last line is. */
  get last(): string {
    return this.lines.at(-1)!.cursor
  }

  /** The same, said to come after something that is lost. */
  torn(): LogBatch {
    const [first, ...rest] = this.lines
    return new LogBatch(this.#server, [{ ...first!, gap: true }, ...rest])
  }

  /** As server-sent events. */
  get events(): Piece {
    this.#events ??= new Piece(this.#lines.map(({ place, data }) => `id: ${place}\ndata: ${data}\n\n`).join(''))
    return this.#events
  }

  /** Each line as one JSON document, in a line. */
  get documents(): Piece {
    this.#documents ??= new Piece(this.#lines.map(line => `${documentOf(line)}\n`).join(''))
    return this.#documents
  }

  /** Each line as one JSON document, in a frame of a WebSocket. */
  get frames(): Buffer {
    this.#frames ??= Buffer.concat(this.#lines.map(line => textFrame(documentOf(line))))
    return this.#frames
  }

  get #lines(): readonly WrittenLine[] {
    this.#written ??= this.lines.map(line => written(this.#server, line))
    return this.#written
  }
}

/** How much travels together: enough to be quick, little enough to be held for each reader. */
const mostLines = 512
const mostBytes = 65_536

/** Gathers lines until there are enough of them. At least one, whatever its length. */
export class Gathering {
  #lines: LogLine[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  get isFull(): boolean {
    return this.#lines.length >= mostLines || this.#bytes >= mostBytes
  }

  add(line: LogLine): void {
    this.#lines.push(line)
    this.#bytes += line.line.length
  }

  /** What was gathered, to begin anew. */
  take(): readonly LogLine[] {
    const lines = this.#lines
    this.#lines = []
    this.#bytes = 0
    return lines
  }
}
