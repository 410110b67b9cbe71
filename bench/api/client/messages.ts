export interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly token?: string
  readonly body?: unknown
}

/** A request as it goes over the wire; one that stays the same is made once. */
export function encodeRequest({ method, path, token, body }: Request): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`)
}

const blankLine = Buffer.from('\r\n\r\n')

/** Where the body begins; undefined while the head is not there as a whole. */
export function endOfHead(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(blankLine)
  return end < 0 ? undefined : end + blankLine.length
}

/** What must be known of an answer to know where it ends. Both servers say how long each is, and neither uses chunks. */
export function readHead(head: string): { readonly status: number; readonly length: number } {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1]
  if (status === undefined || length === undefined) throw new Error(`not an answer with a length: ${head}`)
  return { status: Number(status), length: Number(length) }
}

/** Every header of an answer, by its name in lower case. */
export const headersOf = (head: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    head
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
