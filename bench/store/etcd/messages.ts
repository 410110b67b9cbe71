/**
 * The few protobuf messages of etcd's `KV` service that we speak, by hand: each is one or two byte fields.
 * https://github.com/etcd-io/etcd/blob/release-3.4/etcdserver/etcdserverpb/rpc.proto
 */

const bytesField = (number: number): number => (number << 3) | 2

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++
  return length
}

function writeVarint(target: Buffer, value: number, offset: number): number {
  let rest = value
  let at = offset
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) target[at++] = (rest % 0x80) | 0x80
  target[at++] = rest
  return at
}

/** `PutRequest { bytes key = 1; bytes value = 2 }`; a `RangeRequest` of one key has the same first field. */
export function encodePut(key: string, value: string): Buffer {
  const keyLength = Buffer.byteLength(key)
  const valueLength = Buffer.byteLength(value)
  const message = Buffer.allocUnsafe(2 + varintLength(keyLength) + keyLength + varintLength(valueLength) + valueLength)
  message[0] = bytesField(1)
  let at = writeVarint(message, keyLength, 1)
  at += message.write(key, at)
  message[at++] = bytesField(2)
  at = writeVarint(message, valueLength, at)
  message.write(value, at)
  return message
}

/** The store's revision from any answer of the `KV` service: field 3 of the header, which is field 1. */
export function decodeRevision(answer: Buffer): number {
  const header = findField(answer, 1)
  const revision = Buffer.isBuffer(header) ? findField(header, 3) : undefined
  if (typeof revision !== 'number') throw new Error('etcd answered without a revision')
  return revision
}

function findField(message: Buffer, wanted: number): number | Buffer | undefined {
  let at = 0
  const varint = () => {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = message[at++]
      if (byte === undefined) throw new Error('etcd answered half a message')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const value = varint()
    const isBytes = (tag & 7) === 2
    if (tag >> 3 === wanted) return isBytes ? message.subarray(at, at + value) : value
    if (isBytes) at += value
  }
  return undefined
}
