import type { Instant } from '@stead/world'
import type { EncodedChangeSet } from '../encoding.ts'
import type { Committed, Expectation } from '../words/change-set.ts'
import type { Conflict } from '../words/conflict.ts'
import { type Ref, type Revision, refKey, sameRef } from '../words/object.ts'
import { bigints, booleans, byteas, ints, letters, texts } from './binary-array.ts'

/** One change-set of a batch. */
export interface BatchedSet {
  readonly set: EncodedChangeSet
  /** An earlier sending of it may still arrive: a conflict must be written down. */
  readonly resent: boolean
}

export type SetAnswer = { readonly conflict: Conflict } | { readonly committed: Committed }

/** See sql/0001-commit-batch.sql, which says what each parameter is. */
const parameterTypes = [
  ...['text', 'boolean', 'int', '"char"', 'int', 'bigint', 'text', 'text', 'text'],
  ...['text', 'text', 'text', 'text', 'text', 'text'],
  ...['int', 'text', 'text', 'text', 'text', 'int', 'int', 'text', 'bytea', 'int', 'int', 'text'],
]

export const commitBatchSql = `CALL stead.commit_batch_1(${parameterTypes
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ')}, NULL, NULL, NULL)`

/** The letters by which the procedure knows what a step is. */
type StepType = 'a' | 'v' | 'k' | 'f' | 'd' | 'b' | 'r' | 't' | 'l' | 'm' | 'p'

/** Gives each distinct name of a batch a number, from 1. */
class Numbering {
  readonly names: string[] = []
  private readonly numbers = new Map<string, number>()

  of(name: string): number {
    const known = this.numbers.get(name)
    if (known !== undefined) return known
    const number = this.names.push(name)
    this.numbers.set(name, number)
    return number
  }
}

/** A batch as the procedure wants it: columns, with every name replaced by its number. */
class BatchEncoder {
  private readonly steps = {
    types: [] as StepType[],
    targets: [] as number[],
    numbers: [] as (number | null)[],
    holders: [] as (string | null)[],
  }
  private readonly ends: number[] = []
  private readonly refs = { numbers: new Map<string, number>(), kinds: [] as string[], ids: [] as string[] }
  private readonly keys = new Numbering()
  private readonly counters = new Numbering()
  private readonly leases = new Numbering()
  private readonly specs: string[] = []
  private readonly rests: string[] = []

  /** In the order in which a conflict is looked for, the same in every store. */
  add(set: EncodedChangeSet): void {
    for (const expectation of set.expect) this.expect(expectation)
    for (const ref of set.removes) this.step('d', this.ref(ref))
    for (const { owner } of set.blobs) if (!set.puts.some(put => sameRef(put, owner))) this.step('b', this.ref(owner))
    for (const { key, holder } of set.releases) this.step('r', this.keys.of(key), null, holder)
    for (const { key, holder } of set.takes) this.step('t', this.keys.of(key), null, holder)
    for (const { counter, limit } of set.limits) this.step('l', this.counters.of(counter), limit)
    for (const { counter, by } of set.moves) this.step('m', this.counters.of(counter), by)
    for (const put of set.puts) {
      this.rests.push(put.rest)
      this.step('p', this.ref(put), this.specs.push(put.spec))
    }
    this.ends.push(this.steps.types.length)
  }

  private expect(expectation: Expectation): void {
    if (expectation.type === 'absent') this.step('a', this.ref(expectation.ref))
    else if (expectation.type === 'revision') this.step('v', this.ref(expectation.ref), expectation.revision)
    else if (expectation.type === 'key') this.step('k', this.keys.of(expectation.key), null, expectation.holder)
    else this.step('f', this.leases.of(expectation.lease), expectation.fence)
  }

  private step(type: StepType, target: number, number: number | null = null, holder: string | null = null): void {
    this.steps.types.push(type)
    this.steps.targets.push(target)
    this.steps.numbers.push(number)
    this.steps.holders.push(holder)
  }

  ref(ref: Ref): number {
    const key = refKey(ref)
    const known = this.refs.numbers.get(key)
    if (known !== undefined) return known
    const number = this.refs.kinds.push(ref.kind)
    this.refs.ids.push(ref.id)
    this.refs.numbers.set(key, number)
    return number
  }

  parameters(batch: readonly BatchedSet[]): readonly Buffer[] {
    const of = <T>(list: (set: EncodedChangeSet) => readonly T[]) =>
      batch.flatMap(({ set }, index) => list(set).map(item => ({ ...item, set: index + 1 })))
    const records = of(set => set.records)
    const blobs = of(set => set.blobs).map(blob => ({ ...blob, ref: this.ref(blob.owner) }))
    const drops = of(set => set.dropBlobs).map(drop => ({ ...drop, ref: this.ref(drop.owner) }))
    const { steps, refs } = this
    return [
      texts(batch.map(({ set }) => set.id)),
      booleans(batch.map(({ resent }) => resent)),
      ints(this.ends),
      letters(steps.types),
      ints(steps.targets),
      bigints(steps.numbers),
      texts(steps.holders),
      texts(this.specs),
      texts(this.rests),
      texts(refs.kinds),
      texts(refs.ids),
      texts(refs.kinds.map((kind, index) => `"kind":${JSON.stringify(kind)},"id":${JSON.stringify(refs.ids[index])}`)),
      texts(this.keys.names),
      texts(this.counters.names),
      texts(this.leases.names),
      ints(records.map(({ set }) => set)),
      texts(records.map(({ table }) => table)),
      texts(records.map(({ scope }) => scope)),
      texts(records.map(({ subject }) => subject)),
      texts(records.map(({ body }) => body)),
      ints(blobs.map(({ set }) => set)),
      ints(blobs.map(({ ref }) => ref)),
      texts(blobs.map(({ hash }) => hash)),
      byteas(blobs.map(({ sealed }) => sealed)),
      ints(drops.map(({ set }) => set)),
      ints(drops.map(({ ref }) => ref)),
      texts(drops.map(({ hash }) => hash)),
    ]
  }
}

export function encodeBatch(batch: readonly BatchedSet[]): readonly Buffer[] {
  const encoder = new BatchEncoder()
  for (const { set } of batch) encoder.add(set)
  return encoder.parameters(batch)
}

/** The row with which the procedure answers. */
export interface BatchRow {
  readonly revisions: readonly (Revision | null)[]
  readonly times: readonly (Instant | null)[]
  readonly conflicts: string | null
}

export function decodeAnswers({ revisions, times, conflicts }: BatchRow): readonly SetAnswer[] {
  const found = conflicts === null ? [] : (JSON.parse(conflicts) as (string | null)[])
  return revisions.map((revision, index) => {
    const conflict = found[index]
    if (conflict) return { conflict: JSON.parse(conflict) as Conflict }
    return { committed: { revision: revision!, at: times[index]! } }
  })
}
