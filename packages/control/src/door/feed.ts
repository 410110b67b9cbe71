import type { CacheEntry, Change, ReadCache, Revision } from '@stead/engine'
import type { Place } from '../identity/caller.ts'
import { placeId } from './access.ts'

/** One change-set as those who follow see it. */
export interface FeedEntry {
  readonly revision: Revision
  readonly changes: readonly Change[]
}

export interface Follower {
  readonly place: Place
  /** Something changed at its place. Called once the cache shows it. */
  changed(entry: FeedEntry): void
  /** The node lost the log and loaded anew: what lies between is unknown. */
  lost(): void
}

/**
 * The end of the log, in memory, once for all who follow it. Each entry touches only those who follow a place it
 * changed something at: a thousand streams cost nothing until something happens where they look.
 */
export class Feed {
  readonly #kept: number
  readonly #ring: FeedEntry[] = []
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #stop: () => void
  #head: Revision
  /** Nothing at or before this revision is in the ring. */
  #start: Revision

  constructor(cache: Pick<ReadCache, 'revision' | 'onChange'>, kept: number) {
    this.#kept = kept
    this.#head = cache.revision
    this.#start = cache.revision
    this.#stop = cache.onChange(entry => this.#append(entry))
  }

  get head(): Revision {
    return this.#head
  }

  /** The entry of a revision; undefined when it is no longer here, or not yet. */
  entry(revision: Revision): FeedEntry | undefined {
    return revision > this.start && revision <= this.#head ? this.#ring[revision % this.#kept] : undefined
  }

  /** Everything after this revision is here. */
  get start(): Revision {
    return Math.max(this.#start, this.#head - this.#kept)
  }

  /** Calls the follower with every entry from now on that touches its place. */
  follow(follower: Follower): () => void {
    // Ids are unique across kinds, so projects and organizations never meet.
    const key = placeId(follower.place)
    const group = this.#followers.get(key) ?? new Set()
    this.#followers.set(key, group.add(follower))
    return () => {
      group.delete(follower)
      if (group.size === 0) this.#followers.delete(key)
    }
  }

  close(): void {
    this.#stop()
  }

  #append({ revision, changes }: CacheEntry): void {
    const continues = revision === this.#head + 1
    this.#head = revision
    if (!continues) {
      this.#start = revision
      for (const group of this.#followers.values()) for (const follower of group) follower.lost()
      return
    }
    const entry = { revision, changes }
    this.#ring[revision % this.#kept] = entry
    for (const follower of this.#touched(changes)) follower.changed(entry)
  }

  #touched(changes: readonly Change[]): ReadonlySet<Follower> {
    const touched = new Set<Follower>(this.#followers.get('platform'))
    for (const { object } of changes) {
      for (const id of [object.projectId, object.organizationId])
        if (id !== undefined) for (const follower of this.#followers.get(id) ?? []) touched.add(follower)
    }
    return touched
  }
}

/** Whether an object is at a place, or below it. */
export function isAt(object: { readonly organizationId?: string; readonly projectId?: string }, place: Place): boolean {
  if (place.type === 'platform') return true
  return place.type === 'project'
    ? object.projectId === place.projectId
    : object.organizationId === place.organizationId
}
