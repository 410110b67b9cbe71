/**
 * What travels between a provider and its supervisor: frames of a type and bytes. Everything but the bytes of an exec
 * session is JSON.
 */
export const frameTypes = { json: 1, input: 2, inputEnd: 3, stdout: 4, stderr: 5 } as const
export type FrameType = (typeof frameTypes)[keyof typeof frameTypes]

export interface Frame {
  readonly type: FrameType
  readonly payload: Buffer
}

const headerBytes = 5

export function encodeFrame(type: FrameType, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt32BE(payload.length, 0)
  frame.writeUInt8(type, 4)
  frame.set(payload, headerBytes)
  return frame
}

/** Bytes keep their kind on the way: a launch carries the contents of files. */
export const encodeJson = (value: unknown): Buffer =>
  encodeFrame(frameTypes.json, Buffer.from(JSON.stringify(value, packBytes)))

export const decodeJson = (payload: Buffer): unknown => JSON.parse(payload.toString(), unpackBytes)

/** For JSON in files, too. A Buffer has its own toJSON, which would have been called already: `this` still holds it. */
export function packBytes(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key]
  return original instanceof Uint8Array ? { $bytes: Buffer.from(original).toString('base64') } : value
}

export function unpackBytes(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$bytes' in value)) return value
  return Buffer.from(value.$bytes as string, 'base64')
}

/** Cuts a stream into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  *push(chunk: Buffer): Generator<Frame> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#rest.length >= headerBytes) {
      const end = headerBytes + this.#rest.readUInt32BE(0)
      if (this.#rest.length < end) return
      const payload = this.#rest.subarray(headerBytes, end)
      const type = this.#rest.readUInt8(4) as FrameType
      this.#rest = this.#rest.subarray(end)
      yield { type, payload }
    }
  }
}
