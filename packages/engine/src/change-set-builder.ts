import { newId, type World } from '@stead/world'
import type {
  BlobDraft,
  ChangeSet,
  CounterLimit,
  CounterMove,
  Expectation,
  KeyClaim,
  RecordDraft,
} from './words/change-set.ts'
import type { BaseStatus, ObjectDraft, Ref, Revision, StoredObject } from './words/object.ts'
import { refOf } from './words/object.ts'

/** Gathers one change-set. Reads like what it does: `changeSet(world).create(widget).take(key, widget.id)`. */
export class ChangeSetBuilder implements ChangeSet {
  readonly id: string
  readonly expect: Expectation[] = []
  readonly puts: ObjectDraft<unknown, unknown>[] = []
  readonly removes: Ref[] = []
  readonly takes: KeyClaim[] = []
  readonly releases: KeyClaim[] = []
  readonly moves: CounterMove[] = []
  readonly limits: CounterLimit[] = []
  readonly records: RecordDraft[] = []
  readonly blobs: BlobDraft[] = []
  readonly dropBlobs: { owner: Ref; hash: string }[] = []

  constructor(id: string) {
    this.id = id
  }

  /** Puts an object that must not exist yet. */
  create<Spec, Status extends BaseStatus>(object: ObjectDraft<Spec, Status>): this {
    this.expect.push({ type: 'absent', ref: refOf(object) })
    this.puts.push(object)
    return this
  }

  /** Changes some of an object, if it is still the one that was read. */
  update<Spec, Status extends BaseStatus>(
    read: StoredObject<Spec, Status>,
    changes: Partial<Omit<ObjectDraft<Spec, Status>, 'kind' | 'id'>>,
  ): this {
    const { generation: _generation, revision, ...draft } = read
    this.expectRevision(read, revision)
    this.puts.push({ ...draft, ...changes })
    return this
  }

  /** Removes an object, if it is still the one that was read. Its blobs go with it. */
  remove(read: Ref & { readonly revision: Revision }): this {
    this.expectRevision(read, read.revision)
    this.removes.push(refOf(read))
    return this
  }

  expectRevision(ref: Ref, revision: Revision): this {
    this.expect.push({ type: 'revision', ref: refOf(ref), revision })
    return this
  }

  expectKey(key: string, holder: string): this {
    this.expect.push({ type: 'key', key, holder })
    return this
  }

  /** Applies only while this fence is the lease's newest. */
  fence(lease: string, fence: number): this {
    this.expect.push({ type: 'fence', lease, fence })
    return this
  }

  take(key: string, holder: string): this {
    this.takes.push({ key, holder })
    return this
  }

  release(key: string, holder: string): this {
    this.releases.push({ key, holder })
    return this
  }

  move(counter: string, by: number): this {
    this.moves.push({ counter, by })
    return this
  }

  limit(counter: string, limit: number | null): this {
    this.limits.push({ counter, limit })
    return this
  }

  record(draft: RecordDraft): this {
    this.records.push(draft)
    return this
  }

  blob(draft: BlobDraft): this {
    this.blobs.push(draft)
    return this
  }

  dropBlob(owner: Ref, hash: string): this {
    this.dropBlobs.push({ owner: refOf(owner), hash })
    return this
  }
}

export const changeSet = (world: World): ChangeSetBuilder => new ChangeSetBuilder(newId(world, 'cs'))
