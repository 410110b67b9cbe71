import type { View } from '@stead/engine'
import { elapsed, type Instant, minutes } from '@stead/world'
import { servers, serversByRegion } from '../model.ts'

/** Losses that are not further apart than this count as one. */
const atOnce = minutes(10)

/**
 * Which servers of a region were found lost, and when. Most are made anew and forgotten within seconds, so it is kept here;
 * a node that takes the region over knows only of those that are still in the store.
 */
export class RecentLosses {
  readonly #found = new Map<string, Instant>()

  note(serverId: string, at: Instant): void {
    this.#found.set(serverId, at)
  }

  /** How many were lost shortly before this moment, whatever was done about them since. */
  count(cache: Pick<View, 'get' | 'list'>, region: string, now: Instant): number {
    const known = cache.list({
      kind: servers,
      index: { name: serversByRegion.name, key: region },
      where: ({ status }) => status.lost !== undefined,
    })
    for (const { id, status } of known.items) this.note(id, status.lost!.at)
    for (const [id, at] of this.#found) {
      const server = cache.get(servers, id)
      const isBack = server !== undefined && !server.status.lost
      if (isBack || elapsed(at, now) >= atOnce) this.#found.delete(id)
    }
    return this.#found.size
  }
}
