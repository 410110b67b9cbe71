const header = 8

export interface Frame {
  readonly stream: 'stdout' | 'stderr'
  readonly data: Buffer
}

/** Takes apart what an engine sends in one stream: each piece has a header of its kind and length. */
export async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    while (rest.length >= header) {
      const end = header + rest.readUInt32BE(4)
      if (rest.length < end) break
      yield { stream: rest[0] === 2 ? 'stderr' : 'stdout', data: rest.subarray(header, end) }
      rest = rest.subarray(end)
    }
  }
}
