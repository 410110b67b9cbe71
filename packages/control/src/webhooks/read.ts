import type { Store, StoredRecord } from '@stead/engine'
import { eventsTable, presentEvent } from '../events/model.ts'
import type { Happening, Material } from './decide.ts'
import { mostHeld } from './decide.ts'
import { asksFor } from './filter.ts'
import type { Held, Progress, Webhook } from './model.ts'

type Reading = Pick<Store, 'records'>

/** Read at once, and at most sent before it is noted: what a crash may have sent twice. */
const pageSize = 50

/** Events of a project after one of them, oldest first. */
async function eventsAfter(
  store: Reading,
  { projectId }: Webhook,
  { after, subject, limit = pageSize }: { readonly after: number; readonly subject?: string; readonly limit?: number },
): Promise<readonly Happening[]> {
  const records = await store.records({
    ...{ table: eventsTable, scope: projectId!, after, limit },
    ...(subject !== undefined && { subject }),
  })
  return records.map(happening)
}

const happening = (record: StoredRecord): Happening => ({ sequence: record.sequence, event: presentEvent(record) })

/** The one event with this number, if it is still kept. */
export async function eventAt(
  store: Reading,
  webhook: Webhook,
  { sequence, object }: { readonly sequence: number; readonly object: string },
): Promise<Happening | undefined> {
  const [found] = await eventsAfter(store, webhook, { after: sequence - 1, subject: object, limit: 1 })
  return found?.sequence === sequence ? found : undefined
}

/** Everything the next round depends on. */
export async function gather(
  store: Reading,
  webhook: Webhook,
  { progress, now }: { readonly progress: Progress; readonly now: number },
): Promise<Material> {
  // Who is told of a webhook's own troubles by that webhook has them without end.
  const isWanted = ({ event }: Happening) => event.object.id !== webhook.id && asksFor(webhook.spec.events ?? {}, event)
  const found = progress.held.length >= mostHeld ? [] : await eventsAfter(store, webhook, { after: progress.cursor })
  const due = progress.held.filter(({ next }) => next <= now)
  const retries = await Promise.all(due.map(held => leftOf(store, webhook, { held, progress, isWanted })))
  return {
    progress,
    page: { through: found.at(-1)?.sequence ?? progress.cursor, wanted: found.filter(isWanted) },
    retries,
  }
}

async function leftOf(
  store: Reading,
  webhook: Webhook,
  { held, progress, isWanted }: { held: Held; progress: Progress; isWanted: (each: Happening) => boolean },
): Promise<Material['retries'][number]> {
  const found = await eventsAfter(store, webhook, { after: held.sequence - 1, subject: held.object })
  const behind = found.filter(({ sequence }) => sequence <= progress.cursor)
  return {
    ...{ held, object: held.object, events: behind.filter(isWanted) },
    ...(behind.length === pageSize && { restAfter: behind.at(-1)!.sequence }),
  }
}
