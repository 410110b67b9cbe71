import type { Revision } from '@stead/engine'
import type { ServerInfo, Tags, WatchEvent } from '@stead/provider-kit'
import { type Duration, millis, minutes, seconds, type World } from '@stead/world'
import { type OrphanReason, removedAfter } from '../orphans/model.ts'
import { RecentLosses } from './recent-losses.ts'
import { type Activity, jittered, pauseBetweenLists } from './rhythm.ts'
import { RegionStream } from './stream.ts'

/** A launch is written down within this time, or was lost: then its server looks for it. */
const longEnough = seconds(10)

export type News = Extract<WatchEvent, { type: 'change' }>

interface Seen {
  readonly since: number
  readonly at: number
  readonly info: ServerInfo
  readonly reason: OrphanReason
}

/**
 * What the observer of a region remembers between two looks, by the monotonic clock. Losing it, because the region goes to
 * another node, means that everything has to last once more before it is believed.
 */
export class RegionMemory {
  readonly stream: RegionStream
  /** Servers that lists do not show, since when. */
  readonly missing = new Map<string, number>()
  readonly losses = new RecentLosses()
  /** Objects that map to no server, or to one that has another. */
  readonly strangers = new Map<string, Seen>()
  failures = 0
  overCap = 0
  readonly #world: World
  readonly #unwritten = new Map<string, { readonly news: News; readonly since: number }>()
  /** How far this node read, and when. */
  #read: { readonly at: number; readonly revision: Revision }[] = []
  #listed: number | undefined
  #moved: number | undefined
  #hasLearned = false
  #draw: number

  constructor(world: World, tags: Tags) {
    this.#world = world
    this.#draw = world.random()
    this.stream = new RegionStream(world, tags)
  }

  /** Keeps news of a server that could not be written yet: nobody tells them twice. */
  keep(news: News): void {
    const since = this.#unwritten.get(news.id)?.since ?? this.#world.monotonic()
    this.#unwritten.set(news.id, { news, since })
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0
  }

  /** What was kept and these, the newest of each server. What was kept for long is left to the next list. */
  newest(told: readonly News[]): ReadonlyMap<string, News> {
    const old = this.#world.monotonic() - longEnough
    const kept = [...this.#unwritten.values()].filter(({ since }) => since > old).map(({ news }) => news)
    const found = new Map([...kept, ...told].map(news => [news.id, news]))
    for (const [id, { since }] of this.#unwritten) if (since <= old || !found.has(id)) this.#unwritten.delete(id)
    return found
  }

  /** They were written, or are not worth it. */
  settled(id: string): void {
    this.#unwritten.delete(id)
  }

  /** Whether something has to be looked at again to be believed. What has been a stranger for long is none of it. */
  get doubts(): boolean {
    const old = this.#world.monotonic() - removedAfter - minutes(1)
    return this.missing.size > 0 || [...this.strangers.values()].some(({ since }) => since > old)
  }

  /** Whether something moves, or did so recently that what was last seen of it may be from an older picture. */
  isStirring(moves: boolean, consistency: Duration): boolean {
    const now = this.#world.monotonic()
    if (moves || this.#hasLearned) this.#moved = now
    return this.#moved !== undefined && now - this.#moved <= consistency + seconds(4)
  }

  /** Whether the last complete list showed anything new: it may have been an older picture, and is soon compared with another. */
  learned(something: boolean): void {
    this.#hasLearned = something
  }

  /**
   * Notes how far this node reads now. Answers how far it is known to have read so long ago: what the region may show of
   * that age, it shows with all that was written until then, whatever the clocks of other nodes say.
   */
  readsNow(revision: Revision, ago: Duration): Revision {
    const at = this.#world.monotonic()
    this.#read.push({ at, revision })
    const last = this.#read.findLastIndex(read => read.at <= at - ago)
    if (last > 0) this.#read.splice(0, last)
    return last < 0 ? 0 : this.#read[0]!.revision
  }

  /** Something may have been missed: a list is due now. */
  listNow(): void {
    this.#listed = undefined
  }

  listed(): void {
    this.#listed = this.#world.monotonic()
    this.#draw = this.#world.random()
  }

  /** How long until the next list is due. */
  untilList(activity: Activity): Duration {
    if (this.#listed === undefined) return millis(0)
    const pause = jittered(pauseBetweenLists({ ...activity, doubts: activity.doubts || this.doubts }), this.#draw)
    return millis(Math.max(0, this.#listed + pause - this.#world.monotonic()))
  }

  /** Keeps those that are still strangers, and since when; the others are forgotten. */
  meet(strangers: readonly { readonly info: ServerInfo; readonly reason: OrphanReason }[], at: number): void {
    const before = new Map(this.strangers)
    this.strangers.clear()
    for (const { info, reason } of strangers)
      this.strangers.set(info.id, { info, reason, at, since: before.get(info.id)?.since ?? at })
  }
}
