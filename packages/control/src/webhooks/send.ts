import { DeadlineError } from '@stead/engine'
import { type Duration, millis, seconds, type World } from '@stead/world'
import { OutgoingError, type OutgoingStream, type OutgoingStreams } from '../outgoing/index.ts'
import { signedHeaders } from './signature.ts'

/** How a receiver answered, or why it did not. */
export interface Attempt {
  readonly delivered: boolean
  /** HTTP's; null when there was no answer. */
  readonly status: number | null
  /** Why it was not delivered. */
  readonly error: string | null
  readonly duration: Duration
  /** The beginning of what was answered. */
  readonly excerpt: string | null
  /** When the receiver wants to be asked again. */
  readonly retryAfter?: Duration
}

/** Something on its way to a receiver. */
export interface Parcel {
  readonly url: string
  readonly id: string
  readonly body: string
  readonly secrets: readonly string[]
  /** Where in a trace it is sent, if that is recorded. */
  readonly traceparent?: string | undefined
}

/** From the first name looked up to the last byte of the answer. */
export const attemptDeadline = seconds(10)
const longestExcerpt = 1_024
/** More is not waited for, however long a receiver asks for it: somebody reads the other end. */
const longestRetryAfter = seconds(3_600)

/** Sends something once. Throws only what says nothing about the receiver. */
export async function send(
  { take, world, signal }: { readonly take: OutgoingStreams; readonly world: World; readonly signal: AbortSignal },
  { url, id, body, secrets, traceparent }: Parcel,
): Promise<Attempt> {
  const began = world.monotonic()
  const ended = (rest: Omit<Attempt, 'duration'>): Attempt => ({ ...rest, duration: millis(world.monotonic() - began) })
  const timestamp = Math.floor(world.now() / 1_000)
  try {
    const answer = await take(
      {
        ...{ url, method: 'POST', body: Buffer.from(body), maxBytes: 64 * 1_024, timeout: attemptDeadline, signal },
        // Followed, most become a GET without a body, and the next host gets what was signed for the first.
        redirects: 'answer',
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'Stead-Webhooks/1',
          ...(traceparent !== undefined && { traceparent }),
          ...signedHeaders({ id, timestamp, body }, secrets),
        },
      },
      async answered => ({ answered, excerpt: await excerptOf(answered) }),
    )
    const { status, headers } = answer.answered
    const delivered = status >= 200 && status < 300
    const retryAfter = delivered ? undefined : retryAfterOf(headers['retry-after'])
    return ended({
      ...{ delivered, status, excerpt: answer.excerpt },
      error: delivered ? null : `answered with ${status}`,
      ...(retryAfter !== undefined && { retryAfter }),
    })
  } catch (error) {
    if (!(error instanceof OutgoingError || error instanceof DeadlineError)) throw error
    return ended({ delivered: false, status: null, error: error.message, excerpt: null })
  }
}

/** What stands in an answer does not change what its status says: one that breaks off was an answer. */
async function excerptOf({ content }: OutgoingStream): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of content) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= longestExcerpt) break
    }
  } catch {}
  return readable(Buffer.concat(chunks).subarray(0, longestExcerpt))
}

/** Text for a person: without what controls a terminal, and without what looks like a credential. */
export const readable = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be shown
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')
    .replaceAll(/\b(whsec_|Bearer |Basic |v1,)[A-Za-z0-9+/=._~-]+/gi, '$1[redacted]')
    .replaceAll(
      /("?(?:password|secret|token|authorization|api_?key)"?\s*[:=]\s*)("[^"]*"?|[^\s,;}]+)/gi,
      '$1[redacted]',
    )

function retryAfterOf(text: string | undefined): Duration | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text)
    ? millis(Math.min(Number(text) * 1_000, longestRetryAfter))
    : undefined
}
