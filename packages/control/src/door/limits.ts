import { type Duration, seconds } from '@stead/world'
import { defaultStreamLimits } from './event-stream.ts'
import type { LoadLimits } from './load.ts'
import type { Rate } from './rate-limit.ts'
import type { StreamLimits } from './streams.ts'

/** How much the door lets in. */
export interface DoorLimits {
  readonly bodyBytes: number
  /** How long one request may take, unless its route says otherwise. */
  readonly deadline: Duration
  readonly load: LoadLimits
  /** Of one credential. */
  readonly credentialRate: Rate
  /** Of one address, for what it asks without a valid credential. */
  readonly addressRate: Rate
  readonly streams: StreamLimits
}

/**
 * The rate of a credential is far above what a client needs and below what two cores answer: it stops a runaway loop,
 * and how much one caller may have under way at once keeps the rest of the server for the others.
 */
export const defaultLimits: DoorLimits = {
  bodyBytes: 1_048_576,
  deadline: seconds(30),
  load: { total: 1_000, perCaller: 400 },
  credentialRate: { burst: 20_000, perSecond: 20_000 },
  addressRate: { burst: 100, perSecond: 20 },
  streams: { ...defaultStreamLimits, perCaller: 64, total: 10_000, heartbeat: seconds(15), keptEntries: 1_024 },
}
