/**
 * Arrays as PostgreSQL's binary format has them. Text form would be escaped here and parsed there, byte by byte, which
 * costs both sides more than all the rest of sending a batch.
 */
const elementTypes = { bool: 16, bytea: 17, char: 18, bigint: 20, int: 23, text: 25 } as const

const headerBytes = 20

export const texts = (values: readonly (string | null)[]): Buffer =>
  encode(
    elementTypes.text,
    values,
    value => Buffer.byteLength(value),
    (buffer, value, offset) => buffer.write(value, offset),
  )

export const ints = (values: readonly number[]): Buffer =>
  encode(
    elementTypes.int,
    values,
    () => 4,
    (buffer, value, offset) => buffer.writeInt32BE(value, offset),
  )

export const bigints = (values: readonly (number | null)[]): Buffer =>
  encode(
    elementTypes.bigint,
    values,
    () => 8,
    (buffer, value, offset) => buffer.writeBigInt64BE(BigInt(value), offset),
  )

export const booleans = (values: readonly boolean[]): Buffer =>
  encode(
    elementTypes.bool,
    values,
    () => 1,
    (buffer, value, offset) => buffer.writeUInt8(value ? 1 : 0, offset),
  )

/** Of one-letter texts. */
export const letters = (values: readonly string[]): Buffer =>
  encode(
    elementTypes.char,
    values,
    () => 1,
    (buffer, value, offset) => buffer.write(value, offset),
  )

export const byteas = (values: readonly Uint8Array[]): Buffer =>
  encode(
    elementTypes.bytea,
    values,
    value => value.length,
    (buffer, value, offset) => buffer.set(value, offset),
  )

function encode<T>(
  elementType: number,
  values: readonly (T | null)[],
  sizeOf: (value: T) => number,
  write: (buffer: Buffer, value: T, offset: number) => void,
): Buffer {
  const sizes = values.map(value => (value === null ? -1 : sizeOf(value)))
  // An empty array has no dimension, hence no bounds.
  const header = values.length === 0 ? 12 : headerBytes
  const buffer = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), header))
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0)
  buffer.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4)
  buffer.writeInt32BE(elementType, 8)
  if (values.length === 0) return buffer
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16)
  let offset = headerBytes
  for (let index = 0; index < values.length; index++) {
    buffer.writeInt32BE(sizes[index]!, offset)
    offset += 4
    const value = values[index]!
    if (value === null) continue
    write(buffer, value, offset)
    offset += sizes[index]!
  }
  return buffer
}
