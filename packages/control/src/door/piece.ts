/**
 * Text on its way to many readers, as bytes in the frame that HTTP/1.1 puts around each piece of an answer whose length is
 * not known. Made once: encoding and framing it for each reader costs more than sending it.
 */
export class Piece {
  readonly framed: Buffer
  /** The same bytes without the frame. */
  readonly plain: Buffer

  constructor(text: string) {
    const length = Buffer.byteLength(text)
    if (length === 0) throw new Error('a piece of nothing would end the answer')
    const head = `${length.toString(16)}\r\n`
    this.framed = Buffer.from(`${head}${text}\r\n`)
    this.plain = this.framed.subarray(head.length, head.length + length)
  }
}
