import { type Duration, days, hours, minutes } from '@stead/world'

/** How finely measurements are kept, and for how long. */
export interface Track {
  readonly name: string
  /** Pieces begin at most this long before what is in them. */
  readonly piece: Duration
  readonly keep: Duration
}

/** As it was measured. */
export const raw: Track = { name: 'usage-raw', piece: minutes(5), keep: hours(3) }

/** Means of a finer track. It is kept for longer than a piece of this one, so that none is missed while a node was down. */
export interface CoarseTrack extends Track {
  readonly from: Track
  readonly step: Duration
}

const byMinute: CoarseTrack = {
  name: 'usage-minutes',
  ...{ from: raw, step: minutes(1), piece: hours(1), keep: hours(26) },
}
const byTenMinutes: CoarseTrack = {
  name: 'usage-ten-minutes',
  ...{ from: byMinute, step: minutes(10), piece: days(1), keep: days(31) },
}

export const coarseTracks: readonly CoarseTrack[] = [byMinute, byTenMinutes]

/** The finest first. */
export const tracks: readonly Track[] = [raw, ...coarseTracks]

/** How long each is kept, by name. */
export const usageRetention: Readonly<Record<string, Duration>> = Object.fromEntries(
  tracks.map(({ name, keep }) => [name, keep]),
)
