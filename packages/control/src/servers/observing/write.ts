import { ConflictError, changeSet, type ReconcileContext } from '@stead/engine'
import type { Server, ServerStatus } from '../model.ts'

export interface SeenServer {
  readonly server: Server
  readonly status: ServerStatus
}

/** Many share one write, but one write must not hold up the log. */
const mostAtOnce = 100

/** Writes what was seen. A server that changed meanwhile is left out: what is seen of it next is newer. */
export async function writeSeen(context: ReconcileContext, all: readonly SeenServer[]): Promise<void> {
  for (let from = 0; from < all.length; from += mostAtOnce)
    await writeSome(context, new Map(all.slice(from, from + mostAtOnce).map(each => [each.server.id, each])))
}

async function writeSome({ world, commit }: ReconcileContext, some: Map<string, SeenServer>): Promise<void> {
  while (some.size > 0) {
    const set = changeSet(world)
    for (const { server, status } of some.values()) set.update(server, { status })
    try {
      await commit(set)
      return
    } catch (error) {
      if (!(error instanceof ConflictError) || error.conflict.type !== 'revision') throw error
      if (!some.delete(error.conflict.ref.id)) throw error
    }
  }
}
