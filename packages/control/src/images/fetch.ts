import { hours, seconds, type World } from '@stead/world'
import type { OutgoingStream, OutgoingStreams } from '../outgoing/client.ts'
import { OutgoingError, type OutgoingFailure } from '../outgoing/errors.ts'
import { PreparationError } from '../realised/words.ts'
import { contentFault } from './content-fault.ts'
import type { UrlSource } from './model.ts'
import { type Received, type Staging, StagingError } from './staging/staging.ts'
import { steadily } from './staging/steadily.ts'

/** How long one transfer may take in all: 20 GiB in this time is 8 Mbit/s. */
export const transferTime = hours(6)
/** A source that sends nothing for so long has given up. */
export const patience = seconds(60)

/** What will not get better by itself. */
const hopeless: ReadonlySet<OutgoingFailure> = new Set<OutgoingFailure>([
  'invalid_url',
  'forbidden_address',
  'insecure_redirect',
  'too_many_redirects',
  'too_large',
])
/** Refusals that pass: asked too often, or too early. */
const passing = new Set([408, 425, 429])

/** Where contents come from, and where they are put. */
export interface Fetching {
  readonly take: OutgoingStreams
  readonly staging: Staging
  readonly limitBytes: number
  readonly world: World
}

export interface FetchOptions {
  readonly id: string
  readonly source: UrlSource
  readonly signal: AbortSignal
  /** Told of each piece. What it throws ends the transfer. */
  readonly onBytes: (transferredBytes: number, totalBytes: number | undefined) => Promise<void> | void
}

/** Fetches the content of an image to where it is staged. Fails with a `PreparationError` that says why, for its owner. */
export async function fetchContent(
  { take, staging, limitBytes, world }: Fetching,
  { id, source, signal, onBytes }: FetchOptions,
): Promise<Received> {
  const maxBytes = Math.min(limitBytes, source.sizeBytes ?? limitBytes)
  const late = () => new OutgoingError('timeout', `nothing came for ${patience / 1_000} s`)
  try {
    return await take({ url: source.url, maxBytes, timeout: transferTime, signal }, answer => {
      const totalBytes = announcedBy(answer, maxBytes)
      const content = steadily(told(answer.content, totalBytes, onBytes), { world, patience, late })
      return staging.put(id, content, received => {
        const fault = contentFault(received, source)
        if (fault) throw new PreparationError(`what its source sends ${fault}`, { isHopeless: true })
        signal.throwIfAborted()
      })
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : inWords(error, maxBytes)
  }
}

/** How much is to come, if the source says so; throws when that is not what can be taken. */
function announcedBy({ status, headers }: OutgoingStream, maxBytes: number): number | undefined {
  if (status !== 200) {
    const isHopeless = status < 500 && !passing.has(status)
    throw new PreparationError(`its source answers with status ${status}`, { isHopeless })
  }
  const length = headers['content-length']
  if (length !== undefined && Number(length) > maxBytes) throw new OutgoingError('too_large', '')
  return length === undefined ? undefined : Number(length)
}

async function* told(
  content: AsyncIterable<Uint8Array>,
  totalBytes: number | undefined,
  onBytes: FetchOptions['onBytes'],
): AsyncGenerator<Uint8Array> {
  let transferredBytes = 0
  for await (const chunk of content) {
    transferredBytes += chunk.length
    await onBytes(transferredBytes, totalBytes)
    yield chunk
  }
}

function inWords(error: unknown, maxBytes: number): unknown {
  if (error instanceof StagingError)
    return new PreparationError('there is no room for it here now', { isHopeless: false, cause: error })
  if (!(error instanceof OutgoingError)) return error
  const why =
    error.failure === 'too_large' ? `it is larger than the ${maxBytes} bytes that are taken of it` : error.message
  return new PreparationError(`its source cannot be fetched: ${why}`, {
    isHopeless: hopeless.has(error.failure),
    cause: error,
  })
}
