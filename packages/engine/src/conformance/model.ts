import { isDeepStrictEqual } from 'node:util'
import type { ChangeSet, Expectation, KeyClaim } from '../words/change-set.ts'
import type { Conflict } from '../words/conflict.ts'
import { type Ref, type Revision, refKey } from '../words/object.ts'

interface ModelObject {
  readonly spec: unknown
  readonly status: unknown
  readonly generation: number
  readonly revision: Revision
}

export type ModelAnswer = { readonly revision: Revision } | { readonly conflict: Conflict }

/** What a store is, in the plainest words we have: one change-set after another on some maps. The oracle of the suite. */
export class StoreModel {
  readonly objects = new Map<string, ModelObject>()
  readonly keys = new Map<string, string>()
  readonly counters = new Map<string, { value: number; limit: number | null }>()
  readonly fences = new Map<string, number>()
  readonly blobs = new Set<string>()
  readonly records: unknown[] = []
  readonly outcomes = new Map<string, ModelAnswer>()
  revision: Revision

  constructor(revision: Revision) {
    this.revision = revision
  }

  commit(set: ChangeSet): ModelAnswer {
    const earlier = this.outcomes.get(set.id)
    if (earlier) return earlier
    const conflict = this.findConflict(set)
    if (conflict) return { conflict }
    this.write(set)
    this.outcomes.set(set.id, { revision: this.revision })
    return { revision: this.revision }
  }

  private findConflict(set: ChangeSet): Conflict | undefined {
    const found = [
      ...set.expect.map(expectation => this.unmet(expectation)),
      ...set.removes.map(ref => this.missing(ref, [])),
      ...set.blobs.map(({ owner }) => this.missing(owner, set.puts)),
      ...set.releases.map(claim => this.notHeld(claim)),
      ...set.takes.map(claim => this.taken(claim, set.releases)),
    ]
    return found.find(conflict => conflict !== undefined) ?? this.overdrawn(set)
  }

  private unmet(expectation: Expectation): Conflict | undefined {
    if (expectation.type === 'key') return this.notHeld(expectation)
    if (expectation.type === 'fence') {
      const actual = this.fences.get(expectation.lease) ?? null
      const { lease, fence } = expectation
      return actual === fence ? undefined : { type: 'fence', lease, expected: fence, actual }
    }
    const { ref } = expectation
    const actual = this.objects.get(refKey(ref))?.revision ?? null
    if (expectation.type === 'absent') return actual === null ? undefined : { type: 'absent', ref, actual }
    const { revision } = expectation
    return actual === revision ? undefined : { type: 'revision', ref, expected: revision, actual }
  }

  private missing(ref: Ref, puts: readonly Ref[]): Conflict | undefined {
    const exists = this.objects.has(refKey(ref)) || puts.some(put => refKey(put) === refKey(ref))
    return exists ? undefined : { type: 'missing', ref }
  }

  private notHeld({ key, holder }: KeyClaim): Conflict | undefined {
    const heldBy = this.keys.get(key) ?? null
    return heldBy === holder ? undefined : { type: 'key', key, wanted: holder, heldBy }
  }

  private taken({ key, holder }: KeyClaim, releases: readonly KeyClaim[]): Conflict | undefined {
    const heldBy = this.keys.get(key)
    if (heldBy === undefined || releases.some(released => released.key === key)) return undefined
    return { type: 'key', key, wanted: holder, heldBy }
  }

  private overdrawn({ limits, moves }: ChangeSet): Conflict | undefined {
    const values = new Map<string, number>()
    for (const { counter, by } of moves) {
      const stored = this.counters.get(counter)
      const value = values.get(counter) ?? stored?.value ?? 0
      const changed = limits.findLast(each => each.counter === counter)
      const limit = changed ? changed.limit : (stored?.limit ?? null)
      if (by > 0 && limit !== null && value + by > limit) return { type: 'limit', counter, limit, value, asked: by }
      if (value + by < 0) return { type: 'underflow', counter, value, asked: by }
      values.set(counter, value + by)
    }
    return undefined
  }

  private write(set: ChangeSet): void {
    if (set.puts.length + set.removes.length > 0) this.revision += 1
    for (const ref of set.removes) {
      this.objects.delete(refKey(ref))
      for (const blob of this.blobs) if (blob.startsWith(`${refKey(ref)} `)) this.blobs.delete(blob)
    }
    for (const put of set.puts) {
      const before = this.objects.get(refKey(put))
      const moved = before && !isDeepStrictEqual(before.spec, put.spec)
      const generation = before ? before.generation + (moved ? 1 : 0) : 1
      this.objects.set(refKey(put), { spec: put.spec, status: put.status, generation, revision: this.revision })
    }
    for (const { key } of set.releases) this.keys.delete(key)
    for (const { key, holder } of set.takes) this.keys.set(key, holder)
    for (const { counter, limit } of set.limits) this.counters.set(counter, { ...this.counter(counter), limit })
    for (const { counter, by } of set.moves) {
      const { value, limit } = this.counter(counter)
      this.counters.set(counter, { value: value + by, limit })
    }
    for (const { body } of set.records) this.records.push(body)
    for (const { owner, hash } of set.dropBlobs) this.blobs.delete(`${refKey(owner)} ${hash}`)
    for (const { owner, hash } of set.blobs) this.blobs.add(`${refKey(owner)} ${hash}`)
  }

  private counter(counter: string) {
    return this.counters.get(counter) ?? { value: 0, limit: null }
  }
}
