import { backoff } from '@stead/engine'
import { after, type Duration, hours, type Instant, minutes, seconds } from '@stead/world'
import type { Event } from '../events/model.ts'
import type { Failing, Held, Progress } from './model.ts'

/** An event at its place in the order of a project's events. */
export interface Happening {
  readonly sequence: number
  readonly event: Event
}

/** What is sent of one object, one after the other. What is not taken holds up the rest of the lane, and nothing else. */
export interface Lane {
  readonly object: string
  readonly events: readonly Happening[]
  /** It did not go on before. */
  readonly held?: Held
  /** There is more of it after this event, which was not read. */
  readonly restAfter?: number
}

/** What is sent at once. */
export interface Round {
  readonly lanes: readonly Lane[]
  /** How far everything is settled after it, but for what is held. */
  readonly through: number
}

/** How a lane went: so many were taken, and then one perhaps was not. */
export interface LaneResult {
  readonly delivered: number
  readonly failed?: { readonly retryAfter?: Duration }
}

/** Objects that may wait for themselves. With more, the whole webhook waits: what is kept of it stays small. */
export const mostHeld = 16
/** Sent to one that took nothing: more than one, because it may be just that one it does not take. */
const probes = 4
/** How long something is tried. */
export const patience = hours(24)
/** A receiver that is back is found within minutes; one that is away costs a call each five. */
const pace = { first: seconds(1), cap: minutes(5) }

export interface Material {
  readonly progress: Progress
  /** What comes after the cursor, as far as it was read, and what of it the webhook asks for. */
  readonly page: { readonly through: number; readonly wanted: readonly Happening[] }
  /** What is left, up to the cursor, of objects that are held and due. */
  readonly retries: readonly (Lane & { readonly held: Held })[]
}

/** What to send next. */
export function planRound({ progress, page, retries }: Material): Round {
  const held = new Set(progress.held.map(({ object }) => object))
  const free = page.wanted.filter(({ event }) => !held.has(event.object.id))
  const through = progress.failing ? endOfProbe(free, page.through) : page.through
  const within = ({ sequence }: Happening) => sequence <= through
  const fresh: Lane[] = [...Map.groupBy(free.filter(within), ({ event }) => event.object.id)].map(
    ([object, events]) => ({ object, events }),
  )
  const again = progress.failing ? retries.slice(0, Math.max(0, probes - fresh.length)) : retries
  // What was read after the cursor is settled with this round: so it is in the lane, or after what the lane leaves.
  const later = page.wanted.filter(within)
  const lanes = again.map((lane): Lane => {
    if (lane.restAfter !== undefined) return lane
    return { ...lane, events: [...lane.events, ...later.filter(({ event }) => event.object.id === lane.object)] }
  })
  return { lanes: [...fresh, ...lanes], through }
}

/** The last event before there would be too many objects. */
function endOfProbe(events: readonly Happening[], end: number): number {
  const objects = new Set<string>()
  for (const { sequence, event } of events) {
    if (objects.size === probes && !objects.has(event.object.id)) return sequence - 1
    objects.add(event.object.id)
  }
  return end
}

export interface Settlement {
  readonly progress: Progress
  /** Tried for long enough. */
  readonly dead: readonly Happening[]
  /** It takes nothing, and has not for so long that it is left alone. */
  readonly givesUp: boolean
}

/** How far things are after a round. */
export function settle(
  progress: Progress,
  { lanes, through }: Round,
  results: readonly LaneResult[],
  { now, random }: { readonly now: Instant; readonly random: () => number },
): Settlement {
  const isTaken = results.some(({ delivered }) => delivered > 0)
  const refused = lanes.flatMap((lane, index) => (lane.held ? [] : (results[index]!.failed ?? [])))
  const later = (attempts: number, retryAfter = 0): Instant =>
    after(now, Math.max(backoff(pace, attempts, random()), retryAfter) as Duration)
  const failed = (before: Failing | undefined, { retryAfter }: NonNullable<LaneResult['failed']>): Failing => {
    const attempts = (before?.attempts ?? 0) + 1
    return { attempts, since: before?.since ?? now, next: later(attempts, retryAfter) }
  }
  if (!isTaken && refused.length > 0) {
    const longest = refused.reduce((a, b) => ((a.retryAfter ?? 0) > (b.retryAfter ?? 0) ? a : b))
    const failing = failed(progress.failing, longest)
    return { progress: { ...progress, failing }, dead: [], givesUp: now - failing.since >= patience }
  }
  const dead: Happening[] = []
  const held = lanes.flatMap((lane, index): readonly Held[] => {
    const { object, events, restAfter } = lane
    const { delivered, failed: failure } = results[index]!
    const from = (sequence: number, rest: Failing = { attempts: 0, since: now, next: now }) => [
      { object, sequence, ...rest },
    ]
    const stopped = events[delivered]
    if (!failure || !stopped) return restAfter === undefined ? [] : from(restAfter + 1)
    const next = failed(delivered === 0 ? lane.held : undefined, failure)
    if (now - next.since < patience) return from(stopped.sequence, next)
    dead.push(stopped)
    const isLast = restAfter === undefined && delivered + 1 === events.length
    return isLast ? [] : from(stopped.sequence + 1)
  })
  const tried = new Set(lanes.map(({ object }) => object))
  const others = progress.held.filter(({ object }) => !tried.has(object))
  // Whoever takes something again is back: what waits for it need not wait longer.
  const woken = progress.failing && isTaken ? others.map(each => ({ ...each, next: now })) : others
  return { progress: { cursor: through, held: [...woken, ...held] }, dead, givesUp: false }
}

/** When there is something to be done again; undefined: when something happens. */
export function nextAttempt({ held, failing }: Progress): Instant | undefined {
  if (failing) return failing.next
  return held.length > 0 ? (Math.min(...held.map(({ next }) => next)) as Instant) : undefined
}
