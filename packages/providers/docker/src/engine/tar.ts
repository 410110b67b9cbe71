export interface TarFile {
  /** Relative; directories on the way need not be named. */
  readonly path: string
  readonly content: Uint8Array
  readonly mode: number
  readonly owner?: Owner
}

/** Numbers, as they count inside. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

const block = 512
const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

function headerOf({ path, mode, owner = { uid: 0, gid: 0 }, content }: TarFile): Buffer {
  // Our own names are short: none of the ways to write long ones is needed.
  if (Buffer.byteLength(path) > 99) throw new Error(`${path} is too long a name for our archives`)
  const header = Buffer.alloc(block)
  header.write(path, 0)
  header.write(octal(mode, 7), 100)
  header.write(octal(owner.uid, 7), 108)
  header.write(octal(owner.gid, 7), 116)
  header.write(octal(content.length, 11), 124)
  header.write(octal(0, 11), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** An archive of these files. */
export function tarOf(files: readonly TarFile[]): Buffer {
  const parts = files.flatMap(file => [
    headerOf(file),
    file.content,
    Buffer.alloc((block - (file.content.length % block)) % block),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

/** The first file in an archive. */
export function firstFileIn(archive: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(archive)
  for (let at = 0; at + block <= bytes.length; ) {
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 136).replace(/[\0 ].*$/s, ''), 8) || 0
    const type = String.fromCharCode(bytes[at + 156]!)
    if (type === '0' || type === '\0')
      return size > 0 || bytes[at] !== 0 ? bytes.subarray(at + block, at + block + size) : undefined
    at += block + Math.ceil(size / block) * block
  }
  return undefined
}
