/** Reads the fields of SSH's wire format (RFC 4251 §5): each with its length before it. */
export class WireReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes)
  }

  /** The next field; undefined when there is none, or it says to be longer than what is left. */
  next(): Buffer | undefined {
    if (this.#position + 4 > this.#bytes.length) return undefined
    const start = this.#position + 4
    const end = start + this.#bytes.readUInt32BE(this.#position)
    if (end > this.#bytes.length) return undefined
    this.#position = end
    return this.#bytes.subarray(start, end)
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length
  }
}

/** Writes fields in the same format. */
export function wire(...fields: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    fields.flatMap(field => {
      const bytes = Buffer.from(field as string)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}
