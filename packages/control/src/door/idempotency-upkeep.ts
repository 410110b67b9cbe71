import { type ChangeSet, ConflictError, changeSet, type Logger, type StoredRecord } from '@stead/engine'
import { after, type Duration, hours, type Instant, millis, minutes, type World } from '@stead/world'
import type { DoorEngine } from './engine.ts'
import { idempotencyTable, type KeptReply } from './idempotency.ts'

export interface UpkeepOptions {
  readonly engine: Pick<DoorEngine, 'store' | 'commit'>
  readonly world: World
  readonly log: Logger
}

/** A key is remembered for a day, and an hour more: clients and servers do not agree on the time. */
export const keptFor: Duration = hours(25)
const interval: Duration = minutes(10)
/** Small enough not to be felt by those who commit meanwhile. */
const atOnce = 200

/** Forgets keys past their time, now and then. Every node does; whoever comes second finds nothing left to do. */
export function startIdempotencyUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const { world, log } = options
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      // Not at the same moment on every node.
      await world.sleep(millis(interval * (0.5 + world.random())), stopping.signal).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        await forgetOldKeys(options, stopping.signal)
      } catch (error) {
        log.warn({ error }, 'old idempotency keys could not be forgotten; trying again later')
      }
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/**
 * Frees every key whose answer is old, then removes the answers. A crash between the two leaves answers for next time.
 */
export async function forgetOldKeys({ engine, world }: UpkeepOptions, signal?: AbortSignal): Promise<number> {
  const before = after(world.now(), millis(-keptFor))
  let forgotten = 0
  let position = 0
  while (!signal?.aborted) {
    const query = { table: idempotencyTable, scope: 'platform', after: position, limit: atOnce }
    const page = await engine.store.records(query)
    const old = page.filter(({ at }) => at < before)
    await freeKeys(engine, world, old)
    forgotten += old.length
    if (old.length < atOnce) break
    position = page.at(-1)!.sequence
  }
  await removeAnswers(engine, before, signal)
  return forgotten
}

async function freeKeys(
  engine: UpkeepOptions['engine'],
  world: World,
  records: readonly StoredRecord[],
): Promise<void> {
  if (records.length === 0) return
  const set = changeSet(world)
  for (const { body, subject } of records) set.release((body as KeptReply).key, subject)
  if (await applies(engine, set)) return
  // Someone else was here: one by one, those that are still held.
  for (const { body, subject } of records)
    await applies(engine, changeSet(world).release((body as KeptReply).key, subject))
}

async function applies(engine: UpkeepOptions['engine'], set: ChangeSet): Promise<boolean> {
  try {
    await engine.commit(set)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error
  }
}

async function removeAnswers({ store }: UpkeepOptions['engine'], before: Instant, signal?: AbortSignal): Promise<void> {
  while (
    !signal?.aborted &&
    (await store.expireRecords({ table: idempotencyTable, before, limit: atOnce })) === atOnce
  );
}
