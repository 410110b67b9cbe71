/** One server-sent event. */
export interface ServerEvent {
  /** Where a reader that comes back goes on. */
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** Reads server-sent events (the WHATWG format) as they come. Ends with the stream, also when it is cut off. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }))
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop()!
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** A block without data, such as a comment that keeps the connection alive, is no event. */
export function parseEvent(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? []
    fields.set(name, name === 'data' && fields.has('data') ? `${fields.get('data')}\n${value}` : value)
  }
  const data = fields.get('data')
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event') ?? 'message', data }
}
