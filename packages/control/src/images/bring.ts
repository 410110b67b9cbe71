import {
  again,
  ConflictError,
  changeSet,
  clearCondition,
  done,
  type ReconcileContext,
  type Result,
} from '@stead/engine'
import { type Duration, millis, seconds } from '@stead/world'
import { appendEvent } from '../events/model.ts'
import type { Preparing } from '../realised/kind.ts'
import { delayedCondition } from '../realised/model.ts'
import { type Fetching, fetchContent, transferTime } from './fetch.ts'
import { Image, type ImageStatus, type UrlSource } from './model.ts'
import type { Received } from './staging/staging.ts'
import { Turns } from './turns.ts'

const fetchCall = { name: 'fetch-image', mutates: false, deadline: transferTime } as const
/** How often it is told how far a transfer is. */
const tellingInterval = seconds(5)
const turnPause = seconds(5)

/** It was deleted while it came. */
class NotWanted extends Error {}

/** How the contents of images come here: imports are fetched, uploads are there already. */
export function bringing(fetching: Fetching): Preparing<Image> {
  const { staging } = fetching
  const turns = new Turns()
  return {
    isPrepared: ({ spec: { source }, status }) => 'snapshot' in source || status.staged !== undefined,
    async prepare(image, context) {
      const giveBack = turns.take(image.projectId!)
      if (!giveBack) return again(turnPause, 'other imports come first')
      try {
        return await bring(fetching, image, context)
      } finally {
        giveBack()
      }
    },
    async missing({ id, spec: { source } }) {
      if ('snapshot' in source || (await staging.has(id))) return undefined
      return 'its content was staged, and is not to be found from this node: all nodes must have the same staging directory'
    },
    letGo: ({ id }) => staging.remove(id),
  }
}

async function bring(fetching: Fetching, image: Image, context: ReconcileContext): Promise<Result> {
  const { cache, world, outside } = context
  const { id } = image
  // What a crash has left of an earlier try.
  await fetching.staging.remove(id)
  await write(context, id, status => ({ ...status, progress: status.progress ?? { transferredBytes: 0 } }))
  let told: Duration = world.monotonic()
  try {
    const received = await outside(fetchCall, signal =>
      fetchContent(fetching, {
        ...{ id, source: image.spec.source as UrlSource, signal },
        async onBytes(transferredBytes, totalBytes) {
          if (cache.get<Image>(Image.kind, id)?.deletedAt !== undefined) throw new NotWanted()
          if (world.monotonic() - told < tellingInterval) return
          told = world.monotonic()
          const progress = { transferredBytes, ...(totalBytes !== undefined && { totalBytes }) }
          await write(context, id, status => ({ ...status, progress }))
        },
      }),
    )
    await write(context, id, status => withContent(status, received), received)
  } catch (error) {
    if (!(error instanceof NotWanted)) throw error
  }
  return done
}

/** Others may change labels meanwhile: nothing is fetched again for that. */
async function write(
  { cache, world, commit, signal }: ReconcileContext,
  id: string,
  change: (status: ImageStatus) => ImageStatus,
  received?: Received,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const image = cache.get<Image>(Image.kind, id)
    if (!image || image.deletedAt !== undefined) throw new NotWanted()
    const set = changeSet(world).update<unknown, ImageStatus>(image, { status: change(image.status) })
    if (received) tellStaged(set, image, received)
    try {
      await commit(set)
      return
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt >= 5) throw error
      await world.sleep(millis(100), signal)
    }
  }
}

/** Its content is here: nothing is on the way, or waited for, any more. */
export const withContent = ({ progress: _, ...status }: ImageStatus, staged: Received): ImageStatus => ({
  ...status,
  staged,
  ...(status.conditions && { conditions: clearCondition(status.conditions, delayedCondition) }),
})

/** Tells that all of it is here. */
export function tellStaged(set: ReturnType<typeof changeSet>, image: Image, { sizeBytes, sha256 }: Received): void {
  appendEvent(set, image, { reason: 'Staged', message: `${sizeBytes} bytes have come, with the SHA-256 ${sha256}` })
}
