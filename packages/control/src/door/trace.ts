import type { World } from '@stead/world'

/** Where a request belongs in a trace that may span several systems. */
export interface Trace {
  readonly traceId: string
  /** Our own part of it; also the request's id in the log. */
  readonly spanId: string
  /** Of the caller's part, if it is the caller's trace. */
  readonly parentId?: string | undefined
  /** `01`: it is recorded, by whoever began it or by us. */
  readonly flags: string
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** To draw random bytes and turn them into text costs µs however few they are: so many requests' are drawn together. */
const drawnTogether = 160
const [traceLetters, spanLetters] = [32, 16]

/** Says where requests belong. */
export class Traces {
  readonly #world: World
  readonly #samples: (traceId: string) => boolean
  /** Hexadecimal, used from its start. */
  #drawn = ''
  #used = 0

  /** Which of the traces that begin here are recorded; none unless said. */
  constructor(world: World, samples: (traceId: string) => boolean = () => false) {
    this.#world = world
    this.#samples = samples
  }

  /** Continues the caller's trace (W3C trace context), or starts one. A malformed header is as good as none. */
  of(traceparent: string | undefined): Trace {
    const ownId = this.#draw(traceLetters)
    const spanId = this.#draw(spanLetters)
    if (traceparent === undefined) return this.#begin(ownId, spanId)
    const [, version, traceId, parentId, flags, more] = pattern.exec(traceparent) ?? []
    const isValid =
      version !== undefined &&
      version !== 'ff' &&
      !(version === '00' && more) &&
      !/^0+$/.test(traceId!) &&
      !/^0+$/.test(parentId!)
    // Only the flags we know are passed on: sampled (01).
    return isValid
      ? { traceId: traceId!, spanId, parentId, flags: Number.parseInt(flags!, 16) & 1 ? '01' : '00' }
      : this.#begin(ownId, spanId)
  }

  #begin(traceId: string, spanId: string): Trace {
    return { traceId, spanId, flags: this.#samples(traceId) ? '01' : '00' }
  }

  #draw(letters: number): string {
    if (this.#used >= this.#drawn.length) {
      const bytes = this.#world.randomBytes((drawnTogether * (traceLetters + spanLetters)) / 2)
      this.#drawn = Buffer.from(bytes).toString('hex')
      this.#used = 0
    }
    this.#used += letters
    return this.#drawn.slice(this.#used - letters, this.#used)
  }
}

export const traceparent = ({ traceId, spanId, flags }: Trace): string => `00-${traceId}-${spanId}-${flags}`
