import { ConflictError, changeSet, type ReconcileContext } from '@stead/engine'
import type { Server, ServerStatus } from '../model.ts'

export interface SeenServer {
  readonly server: Server
  readonly status: ServerStatus
}

/** Many share one write, but one write must not hold up the log. */
const mostAtOnce = 100

/** Writes what was seen. Answers which servers changed meanwhile and were left out: they are to be seen again. */
export async function writeSeen(context: ReconcileContext, all: readonly SeenServer[]): Promise<readonly SeenServer[]> {
  const left: SeenServer[] = []
  for (let from = 0; from < all.length; from += mostAtOnce) {
    const some = all.slice(from, from + mostAtOnce)
    const written = await writeSome(context, new Map(some.map(each => [each.server.id, each])))
    left.push(...some.filter(({ server }) => !written.has(server.id)))
  }
  return left
}

/** Answers those that were written. */
async function writeSome(
  { world, commit }: ReconcileContext,
  some: Map<string, SeenServer>,
): Promise<ReadonlyMap<string, SeenServer>> {
  while (some.size > 0) {
    const set = changeSet(world)
    for (const { server, status } of some.values()) set.update(server, { status })
    try {
      await commit(set)
      return some
    } catch (error) {
      if (!(error instanceof ConflictError) || error.conflict.type !== 'revision') throw error
      if (!some.delete(error.conflict.ref.id)) throw error
    }
  }
  return some
}
