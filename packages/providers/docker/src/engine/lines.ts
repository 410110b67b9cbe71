/** The lines of a stream of text, each when it is whole. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end).toString()
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield rest.toString()
}

/** A stream of JSON documents, one per line. */
export async function* documentsOf<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  for await (const line of linesOf(chunks)) if (line.trim() !== '') yield JSON.parse(line) as T
}
