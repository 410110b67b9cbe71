import { ProviderError } from '@stead/provider-kit'

/** One member of a tar archive. */
export interface TarEntry {
  readonly name: string
  readonly type: 'file' | 'directory' | 'symlink' | 'hardlink' | 'other'
  readonly mode: number
  readonly link: string
  readonly content: AsyncIterable<Buffer>
}

const block = 512

const types: Readonly<Record<string, TarEntry['type']>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '5': 'directory',
  '2': 'symlink',
  '1': 'hardlink',
}

/** Reads a tar archive (ustar, pax, GNU) member by member. The content of one must be read before the next is asked for. */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(archive)
  let extended: Record<string, string> = {}
  for (;;) {
    const header = await bytes.take(block)
    if (header.length === 0 || header.every(byte => byte === 0)) return
    checkSum(header)
    const size = Number(extended.size ?? number(header, 124, 12))
    const type = String.fromCharCode(header[156]!)
    if ('xgLK'.includes(type)) {
      const data = await bytes.take(padded(size))
      const words = data.subarray(0, size).toString()
      if (type === 'x') extended = { ...extended, ...paxWords(words) }
      if (type === 'L') extended = { ...extended, path: words.replace(/\0.*$/s, '') }
      if (type === 'K') extended = { ...extended, linkpath: words.replace(/\0.*$/s, '') }
      continue
    }
    const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : ''
    const plainName = text(header, 0, 100)
    const content = new Content(bytes, types[type] === 'file' ? size : 0)
    yield {
      name: extended.path ?? (prefix ? `${prefix}/${plainName}` : plainName),
      link: extended.linkpath ?? text(header, 157, 100),
      type: types[type] ?? 'other',
      mode: number(header, 100, 8) & 0o777,
      content,
    }
    await content.skip()
    extended = {}
  }
}

const padded = (size: number) => Math.ceil(size / block) * block

const text = (header: Buffer, offset: number, length: number): string =>
  header
    .subarray(offset, offset + length)
    .toString()
    .replace(/\0.*$/s, '')

function number(header: Buffer, offset: number, length: number): number {
  // A size that eight octal digits cannot hold is written in binary, marked by the first bit.
  if (header[offset]! & 0x80) return Number(header.readBigUInt64BE(offset + length - 8))
  return Number.parseInt(text(header, offset, length).trim() || '0', 8)
}

function checkSum(header: Buffer): void {
  let sum = 0
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte
  if (sum !== number(header, 148, 8)) throw new ProviderError('InvalidConfig', 'the image is no tar archive')
}

function paxWords(words: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, key, value] of words.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)) found[key!] = value!
  return found
}

class Content implements AsyncIterable<Buffer> {
  readonly #bytes: ByteReader
  #left: number
  #padding: number

  constructor(bytes: ByteReader, size: number) {
    this.#bytes = bytes
    this.#left = size
    this.#padding = padded(size) - size
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const chunk = await this.#bytes.some(this.#left)
      this.#left -= chunk.length
      yield chunk
    }
    await this.#bytes.take(this.#padding)
    this.#padding = 0
  }

  async skip(): Promise<void> {
    for await (const _ of this);
  }
}

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly this many bytes; nothing at the end of the archive. */
  async take(length: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let left = length; left > 0; ) {
      if (!(await this.#fill())) {
        if (chunks.length === 0) return Buffer.alloc(0)
        throw new ProviderError('InvalidConfig', 'the image ends in the middle')
      }
      const chunk = this.#cut(left)
      chunks.push(chunk)
      left -= chunk.length
    }
    return Buffer.concat(chunks)
  }

  /** At most this many bytes, and at least one. */
  async some(most: number): Promise<Buffer> {
    if (!(await this.#fill())) throw new ProviderError('InvalidConfig', 'the image ends in the middle')
    return this.#cut(most)
  }

  #cut(most: number): Buffer {
    const chunk = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(chunk.length)
    return chunk
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next()
      if (done) return false
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }
}
