import type { Instant } from '@stead/world'
import { checkChangeSet, invalid } from './change-set-check.ts'
import { type KnownSpecs, LastSpecs, RecentSpecs } from './recent-specs.ts'
import { SharedValues } from './shared-values.ts'
import type { BlobDraft, ChangeSet, CounterLimit, CounterMove, Expectation, KeyClaim } from './words/change-set.ts'
import type { Change, LogEntry } from './words/log.ts'
import type { ObjectDraft, Ref, Revision, StoredObject } from './words/object.ts'
import { refKey, refOf } from './words/object.ts'

/**
 * How objects are written down, the same in both databases: spec as canonical JSON, so that "did spec move?" is a
 * comparison of two strings, and all the rest as plain JSON. What is read is parsed from exactly what was written.
 */
export interface EncodedObject extends Ref {
  readonly spec: string
  readonly rest: string
}

export interface EncodedRecord {
  readonly table: string
  readonly subject: string
  readonly scope: string
  readonly body: string
}

/** A change-set ready to be sent: checked, and with every document as text. */
export interface EncodedChangeSet {
  readonly id: string
  readonly expect: readonly Expectation[]
  readonly puts: readonly EncodedObject[]
  readonly removes: readonly Ref[]
  readonly takes: readonly KeyClaim[]
  readonly releases: readonly KeyClaim[]
  readonly moves: readonly CounterMove[]
  readonly limits: readonly CounterLimit[]
  readonly records: readonly EncodedRecord[]
  readonly blobs: readonly BlobDraft[]
  readonly dropBlobs: readonly { readonly owner: Ref; readonly hash: string }[]
}

/** Larger payloads belong in blobs: each object is in every node's memory and in the log. */
export const maxObjectBytes = 1_048_576
/** All of a change-set is in memory several times while it is written, and others wait behind it. */
export const maxChangeSetBytes = 16 * 1_048_576

export function encodeChangeSet(set: ChangeSet): EncodedChangeSet {
  checkChangeSet(set)
  const encoded = {
    id: set.id,
    expect: set.expect.map(expectation =>
      'ref' in expectation ? { ...expectation, ref: refOf(expectation.ref) } : expectation,
    ),
    puts: set.puts.map(encodeObject),
    removes: set.removes.map(refOf),
    takes: set.takes,
    releases: set.releases,
    moves: set.moves,
    limits: set.limits,
    records: set.records.map(({ table, subject, scope, body }) => ({
      table,
      subject,
      scope,
      body: asJson(`a record about ${subject}`, () => JSON.stringify(body) ?? 'null'),
    })),
    blobs: set.blobs.map(({ owner, hash, sealed }) => ({ owner: refOf(owner), hash, sealed })),
    dropBlobs: set.dropBlobs.map(({ owner, hash }) => ({ owner: refOf(owner), hash })),
  }
  if (weigh(encoded) > maxChangeSetBytes) throw invalid(`it is larger than ${maxChangeSetBytes} bytes`)
  return encoded
}

/** About how large a change-set is, counting its documents. */
export function weigh({ puts, records, blobs }: EncodedChangeSet): number {
  let weight = 0
  for (const { spec, rest } of puts) weight += spec.length + rest.length
  for (const { body } of records) weight += body.length
  for (const { sealed } of blobs) weight += sealed.length
  return weight
}

/** Of what changed: likely to change again soon. */
const recentSpecs = new RecentSpecs()
/** Of what is loaded: what thousands have in common is then read and kept once. */
const loadedSpecs = new LastSpecs()
const sharedValues = new SharedValues()

function encodeObject(draft: ObjectDraft<unknown, unknown>): EncodedObject {
  const { spec, kind, id } = draft
  if (spec === undefined) throw invalid(`${refKey(draft)} has no spec`)
  const encoded = {
    kind,
    id,
    spec: recentSpecs.textOf(spec) ?? asJson(refKey(draft), () => canonicalJson(spec)),
    rest: asJson(refKey(draft), () =>
      JSON.stringify({
        organizationId: draft.organizationId,
        projectId: draft.projectId,
        name: draft.name,
        displayName: draft.displayName,
        labels: draft.labels,
        owner: draft.owner && { kind: draft.owner.kind, id: draft.owner.id },
        finalizers: draft.finalizers,
        createdAt: draft.createdAt,
        createdBy: draft.createdBy,
        deletedAt: draft.deletedAt,
        status: draft.status,
      }),
    ),
  }
  const length = encoded.spec.length + encoded.rest.length
  if (length * 3 > maxObjectBytes && Buffer.byteLength(encoded.spec) + Buffer.byteLength(encoded.rest) > maxObjectBytes)
    throw invalid(`${refKey(draft)} is larger than ${maxObjectBytes} bytes: use a blob`)
  return encoded
}

/** A BigInt, a circle, or a nesting too deep to walk is the caller's mistake. */
function asJson(what: string, write: () => string): string {
  try {
    return write()
  } catch (error) {
    throw invalid(`${what} is not JSON`, error)
  }
}

/** JSON with sorted keys: equal values give equal text, whatever order a caller built them in. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value)) ?? 'null'

/** Sorting a copy and leaving the text to JSON.stringify is twice as fast as writing it by hand. */
function sortKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sortKeys)
  if ('toJSON' in value && typeof value.toJSON === 'function') return sortKeys(value.toJSON())
  const fields = value as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  for (const key of sorted(Object.keys(fields))) {
    // Assigning this one would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: sortKeys(fields[key]), enumerable: true, configurable: true })
    else copy[key] = sortKeys(fields[key])
  }
  return copy
}

/** What was read from here is in order already, and to sort it would make two more lists. */
function sorted(keys: string[]): string[] {
  for (let index = 1; index < keys.length; index++) if (keys[index - 1]! > keys[index]!) return keys.sort()
  return keys
}

/** An object as rows hold it. */
export interface EncodedStored extends EncodedObject {
  readonly generation: number
  readonly revision: Revision
}

/** Reads an object back. */
export const decodeObject = (row: EncodedStored): StoredObject => decode(row, loadedSpecs)

function decode({ kind, id, generation, revision, spec: text, rest }: EncodedStored, known: KnownSpecs): StoredObject {
  const spec = known.find(text, kind) ?? JSON.parse(text)
  const object = assemble(kind, id, JSON.parse(rest), spec, generation, revision)
  known.keep(spec, text, kind)
  return object
}

type Rest = Omit<ObjectDraft, 'kind' | 'id' | 'spec'>

/** Frozen to the bottom: it is shared by every reader in the process. */
const assemble = (
  kind: string,
  id: string,
  rest: Rest,
  spec: unknown,
  generation: number,
  revision: Revision,
): StoredObject =>
  deepFreeze({ kind: sharedValues.string(kind), id, ...sharedValues.shareIn(rest), spec, generation, revision })

/** Arrays by index and leaves without a call: eight times as fast as one `for … in` for all, and this runs per change. */
function deepFreeze<T extends object>(value: T): T {
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) freezeChild(value[index])
  else for (const key in value) freezeChild(value[key])
  return Object.freeze(value)
}

/** What is frozen is so to the bottom: nothing else here freezes. */
function freezeChild(child: unknown): void {
  if (typeof child === 'object' && child !== null && !Object.isFrozen(child)) deepFreeze(child)
}

/** One change as the log's rows hold it. */
export interface EncodedChange extends EncodedStored {
  readonly op: Change['op']
}

/** The log's document of one change-set. Spec and rest are JSON already and go in as they are: nothing is parsed. */
export function encodeChanges(changes: readonly EncodedChange[]): string {
  const texts = changes.map(
    ({ op, kind, id, generation, revision, spec, rest }) =>
      `{"op":"${op}","kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)},"generation":${generation},"revision":${revision},"spec":${spec},"rest":${rest}}`,
  )
  return `[${texts.join(',')}]`
}

/** An entry from a row of the log. */
export function decodeEntry(row: { revision: Revision; at: number; changes: string }): LogEntry {
  const changes = JSON.parse(row.changes) as (Omit<EncodedChange, 'spec' | 'rest'> & { spec: unknown; rest: Rest })[]
  return {
    revision: row.revision,
    at: row.at as Instant,
    changes: changes.map(({ op, kind, id, rest, spec, generation, revision }) => ({
      op,
      object: assemble(kind, id, rest, spec, generation, revision),
    })),
  }
}

/** An entry from changes that were just written, without a way round through the log. */
export const makeEntry = (revision: Revision, at: Instant, changes: readonly EncodedChange[]): LogEntry => ({
  revision,
  at,
  changes: changes.map(change => ({ op: change.op, object: decode(change, recentSpecs) })),
})
