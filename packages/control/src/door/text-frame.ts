/** The whole of a text message, and no mask: servers have none (RFC 6455, 5.2). */
const wholeText = 0x81
const longestShort = 125
const longestMedium = 65_535

/** A text message of a WebSocket as it goes over the wire: for what many are sent, which is then framed once. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = length <= longestShort ? 2 : length <= longestMedium ? 4 : 10
  const frame = Buffer.allocUnsafe(head + length)
  frame[0] = wholeText
  if (length <= longestShort) frame[1] = length
  else if (length <= longestMedium) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, head)
  return frame
}
