import { type Duration, hours, instant, millis, minutes, seconds, type World } from '@stead/world'
import { type Logger, silentLogger } from '../words/logger.ts'
import type { Store } from '../words/store.ts'

export interface Retention {
  /** The log keeps at least this many entries … */
  readonly logEntries?: number
  /** … and everything of the last while: what a watcher may be away before it must list again. */
  readonly logAge?: Duration
  /** How long the outcome of a change-set can be asked for. */
  readonly outcomes?: Duration
  /** How long lines of each retained table are kept. A table that is not named keeps everything. */
  readonly records?: Readonly<Record<string, Duration>>
  /** How long measurements of each track are kept. */
  readonly series?: Readonly<Record<string, Duration>>
}

export interface MaintenanceOptions {
  readonly store: Pick<Store, 'head' | 'compact' | 'compacted' | 'revisionAt' | 'expireOutcomes' | 'expireRecords'> & {
    readonly series: Pick<Store['series'], 'expire'>
  }
  readonly world: World
  /** Whether this node is the one that does it, asked before each step. */
  readonly isMine: () => boolean
  readonly retention?: Retention
  readonly every?: Duration
  readonly log?: Logger
}

/** Little and often: a step holds up the writers for a few milliseconds at the most. */
const stepSize = 1_000
const betweenSteps = millis(20)

/** Forgets what need not be kept any more, until the signal is aborted. */
export async function maintain(options: MaintenanceOptions, signal: AbortSignal): Promise<void> {
  const { world, isMine, every = seconds(30), log = silentLogger } = options
  while (!signal.aborted) {
    await world.sleep(millis(every * (0.75 + 0.5 * world.random())), signal).catch(() => {})
    if (signal.aborted || !isMine()) continue
    await clean(options, signal).catch(error => log.warn({ error }, 'maintenance failed; it will be tried again'))
  }
}

async function clean({ store, world, isMine, retention = {} }: MaintenanceOptions, signal: AbortSignal): Promise<void> {
  const before = (age: Duration) => instant(world.now() - age)
  const repeat = (step: () => Promise<boolean>) => inSteps(step, { world, isMine, signal })
  const { logEntries = 10_000, logAge = minutes(10), outcomes = hours(24), records = {}, series = {} } = retention
  const through = Math.min(store.head() - logEntries, await store.revisionAt(before(logAge)))
  if (isMine() && through > (await store.compacted())) await store.compact(through)
  await repeat(async () => (await store.expireOutcomes({ before: before(outcomes), limit: stepSize })) === stepSize)
  for (const [table, age] of Object.entries(records))
    await repeat(async () => (await store.expireRecords({ table, before: before(age), limit: stepSize })) === stepSize)
  for (const [track, age] of Object.entries(series))
    await repeat(async () => (await store.series.expire({ track, before: before(age), limit: stepSize })) === stepSize)
}

/** Repeats a step while it says that there is more, with room for others in between. */
async function inSteps(
  step: () => Promise<boolean>,
  { world, isMine, signal }: { world: World; isMine: () => boolean; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted && isMine() && (await step())) await world.sleep(betweenSteps, signal).catch(() => {})
}
