import { type ModelAnswer, StoreModel } from '../conformance/model.ts'
import { canonicalJson, decodeEntry, type EncodedChange, type EncodedChangeSet, encodeChanges } from '../encoding.ts'
import type { LogRow } from '../sqlite/reader.ts'
import type { Applied } from '../sqlite/writer.ts'
import type { ChangeSet } from '../words/change-set.ts'
import { type Conflict, describeConflict } from '../words/conflict.ts'
import type { Lease } from '../words/lease.ts'
import type { LogEntry } from '../words/log.ts'
import { type Ref, type Revision, refKey } from '../words/object.ts'
import type { EngineInvariant, Watch } from './violations.ts'

const noHoles = 'I5 the log has no holes and watch = log'

/**
 * What the store should be, kept by whoever watches from outside and shared with nobody: every change-set that became
 * durable is played through the plainest store there is, and must come out as the real one says it did.
 */
export class Ledger {
  /** The objects as they are now. */
  readonly objects = new Map<string, EncodedChange>()
  readonly #model = new StoreModel(0)
  /** Revision n is at n - 1. */
  readonly #log: string[] = []
  /** What had been committed when each lease last changed hands. */
  readonly #heads = new Map<string, Revision>()
  readonly #refused = new Set<string>()
  readonly #violations: Watch<EngineInvariant>

  constructor(violations: Watch<EngineInvariant>) {
    this.#violations = violations
  }

  get head(): Revision {
    return this.#log.length
  }

  get keys(): ReadonlyMap<string, string> {
    return this.#model.keys
  }

  /** The bodies of all records, in order. */
  get records(): readonly unknown[] {
    return this.#model.records.map(body => JSON.parse(body as string))
  }

  get counters(): ReadonlyMap<string, { readonly value: number; readonly limit: number | null }> {
    return this.#model.counters
  }

  /** A change-set is on disk, or was turned away, as part of a batch that is. A conflict told to a resender is kept. */
  settled(set: EncodedChangeSet, applied: Applied, resent: boolean): void {
    const known = this.#model.outcomes.get(set.id)
    const right = this.#model.commit(asChangeSet(set))
    if (resent && 'conflict' in right) this.#model.outcomes.set(set.id, right)
    if ('conflict' in applied) {
      const invariant = known ? 'refused is refused' : 'expectations hold'
      this.#check('conflict' in right, invariant, () => `${set.id} failed with nothing in its way`)
      return
    }
    const { committed, replayed, changes } = applied
    if (replayed) {
      const same = known && 'revision' in known && known.revision === committed.revision
      this.#check(same === true, 'applied once', () => `${set.id} is said to be at ${committed.revision}: ${known}`)
    } else if (known) this.#appliedAgain(set, known)
    else if ('conflict' in right) this.#appliedInSpite(set, right.conflict)
    else this.#write(set, changes, { revision: committed.revision, expected: right.revision })
  }

  /** A caller was told that its change-set applied. */
  acknowledged(id: string, revision: Revision): void {
    const known = this.#model.outcomes.get(id)
    const isThere = known !== undefined && 'revision' in known && known.revision === revision
    this.#check(isThere, 'acknowledged is durable', () => `${id} was acknowledged at ${revision} and is not there`)
  }

  /** A caller was told that its change-set did not apply, so it never may. */
  refused(id: string): void {
    const known = this.#model.outcomes.get(id)
    const applied = known !== undefined && 'revision' in known
    this.#check(!applied, 'refused is refused', () => `${id} is in the log and its caller was told no`)
    this.#refused.add(id)
  }

  leased(leases: readonly Lease[]): void {
    for (const { name, fence } of leases) {
      const before = this.#model.fences.get(name) ?? 0
      const invariant = 'I6 a fenced-out write never lands'
      this.#check(fence >= before, invariant, () => `the fence of ${name} went back to ${fence}`)
      this.#model.fences.set(name, fence)
      if (fence > before) this.#heads.set(name, this.head)
    }
  }

  headWhenTaken(lease: string): Revision {
    return this.#heads.get(lease) ?? 0
  }

  /** What a watcher was given must be what was committed, each entry right after the one before. */
  watched(after: Revision, entries: readonly LogEntry[], who: string): void {
    let position = after
    for (const entry of entries) {
      position++
      const right = entry.revision === position && fingerprint(entry) === this.#log[position - 1]
      this.#check(right, noHoles, () => `${who} was given ${describeEntry(entry)} where ${position} belongs`)
    }
  }

  /** What the database holds must be what was committed: after a restart, and at the end. */
  compare(rows: {
    log: readonly LogRow[]
    compacted: Revision
    objects: readonly (Ref & { revision: Revision })[]
  }): void {
    const { log, compacted, objects } = rows
    const sameLog = log.every((row, i) => fingerprint(decodeEntry(row)) === this.#log[compacted + i])
    const wholeLog = log.length === this.head - compacted
    this.#check(sameLog && wholeLog, noHoles, () => 'the log in the database is not what was committed')
    const sameObjects = objects.every(row => this.objects.get(refKey(row))?.revision === row.revision)
    const allObjects = objects.length === this.objects.size
    this.#check(sameObjects && allObjects, 'acknowledged is durable', () => 'the objects are not what was committed')
  }

  #appliedAgain({ id }: EncodedChangeSet, known: ModelAnswer): void {
    const invariant = 'conflict' in known ? 'refused is refused' : 'applied once'
    this.#violations.add(invariant, `${id} applied, and was answered before: ${canonicalJson(known)}`)
  }

  #appliedInSpite({ id }: EncodedChangeSet, conflict: Conflict): void {
    const invariants: Partial<Record<Conflict['type'], EngineInvariant>> = {
      fence: 'I6 a fenced-out write never lands',
      limit: 'counters keep their limits',
      underflow: 'counters keep their limits',
    }
    const invariant = invariants[conflict.type] ?? 'expectations hold'
    this.#violations.add(invariant, `${id} applied although ${describeConflict(conflict)}`)
  }

  #write(
    set: EncodedChangeSet,
    changes: readonly EncodedChange[],
    { revision, expected }: { revision: Revision; expected: Revision },
  ): void {
    const { id } = set
    this.#check(revision === expected, noHoles, () => `${id} is revision ${revision} where ${expected} belongs`)
    this.#check(!this.#refused.has(id), 'refused is refused', () => `${id} applied after its caller was told no`)
    const right = encodeChanges(this.#changes(set, revision))
    this.#check(encodeChanges(changes) === right, 'expectations hold', () => `${id} wrote something else than it says`)
    if (changes.length > 0) this.#log.push(fingerprint(decodeEntry({ revision, at: 0, changes: right })))
    for (const ref of set.removes) this.objects.delete(refKey(ref))
    for (const change of changes) if (change.op === 'put') this.objects.set(refKey(change), change)
  }

  #changes(set: EncodedChangeSet, revision: Revision): readonly EncodedChange[] {
    const removed = set.removes.map(ref => ({ ...this.objects.get(refKey(ref))!, op: 'remove' as const }))
    const put = set.puts.map(({ kind, id, spec, rest }) => {
      const { generation } = this.#model.objects.get(refKey({ kind, id }))!
      return { op: 'put' as const, kind, id, revision, generation, spec, rest }
    })
    return [...removed, ...put]
  }

  #check(holds: boolean, invariant: EngineInvariant, detail: () => string): void {
    this.#violations.check(holds, invariant, detail)
  }
}

const asChangeSet = (set: EncodedChangeSet): ChangeSet => ({
  ...set,
  puts: set.puts.map(({ kind, id, spec, rest }) => ({ ...JSON.parse(rest), kind, id, spec: JSON.parse(spec) })),
})

/**
 * The time of an entry is not part of it: two stores that were asked the same at other times hold the same log. Everybody
 * reads it from the same text, and so with its keys in the same order.
 */
const fingerprint = ({ revision, changes }: LogEntry): string => JSON.stringify({ revision, changes })

const describeEntry = ({ revision, changes }: LogEntry): string =>
  `revision ${revision} (${changes.map(({ op, object }) => `${op} ${refKey(object)}@${object.revision}`).join(', ')})`
