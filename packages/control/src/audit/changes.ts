import { type ChangeSet, canonicalJson, type ObjectDraft, type Ref, type StoredObject, type View } from '@stead/engine'
import type { TSchema } from 'typebox'
import type { Metadata } from '../resource/model.ts'
import type { Presented } from '../resource/present.ts'
import { pointerTo } from '../schema/pointer.ts'
import { redacted, redactor } from '../schema/secret.ts'
import type { Shape } from '../schema/shape.ts'
import type { FieldChange, ObjectChange } from './model.ts'

/** A kind whose changes are told, as callers see it. A `Resource` is one. */
export interface AuditedKind {
  readonly kind: string
  readonly schema: TSchema
  present(object: StoredObject): Presented
}

/** No entry becomes larger than some tens of kilobytes, whatever was sent. */
export const mostObjects = 20
const mostFields = 50
const longestValue = 2_048

/** Tells what change-sets change of objects that callers know, with secrets replaced as the schemas mark them. */
export class Changes {
  readonly #kinds: ReadonlyMap<string, AuditedKind & { readonly redact: Shape }>

  constructor(kinds: readonly AuditedKind[]) {
    this.#kinds = new Map(
      kinds.map(({ kind, schema, present }) => [kind, { kind, schema, present, redact: redactor(schema) }]),
    )
  }

  /** What it changes, given how everything is before. Kinds that callers do not know are left out. */
  of({ puts, removes }: Pick<ChangeSet, 'puts' | 'removes'>, everything: Pick<View, 'get'>): readonly ObjectChange[] {
    const told: ObjectChange[] = []
    for (const put of puts) {
      const before = everything.get(put.kind, put.id)
      const changes = this.#between(put, before, put)
      if (changes && (changes.length > 0 || !before)) told.push(changed(put, before ? 'update' : 'create', changes))
    }
    for (const ref of removes) {
      const before = everything.get(ref.kind, ref.id)
      const changes = before && this.#between(ref, before, undefined)
      if (changes) told.push(changed(before, 'delete', changes))
    }
    return told
  }

  #between({ kind }: Ref, from?: ObjectDraft<unknown, unknown>, to?: ObjectDraft<unknown, unknown>) {
    const audited = this.#kinds.get(kind)
    if (!audited) return undefined
    const shown = (object: ObjectDraft<unknown, unknown> | undefined) => {
      if (!object) return { open: undefined, told: undefined }
      // The draft of an object that is not stored yet has neither generation nor revision; neither is told.
      const presented = audited.present({ generation: 0, revision: 0, ...object } as StoredObject)
      return { open: contentOf(presented), told: contentOf(audited.redact(presented) as Presented) }
    }
    const [before, after] = [shown(from), shown(to)]
    const found: FieldChange[] = []
    compare(found, '', [before.told, after.told], [before.open, after.open])
    return found.slice(0, mostFields)
  }
}

const changed = (
  { kind, id, name }: ObjectDraft<unknown, unknown>,
  op: ObjectChange['op'],
  changes: FieldChange[],
): ObjectChange => ({ kind, id, ...(name !== undefined && { name }), op, changes })

/** What people decide about an object. Its status is told by events. */
const contentOf = ({ metadata, spec }: Presented) => {
  const { displayName, labels, deletedAt } = metadata as Partial<Metadata>
  return {
    ...(displayName !== undefined && { displayName }),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(deletedAt && { deletedAt }),
    spec,
  }
}

type Pair = readonly [unknown, unknown]

/** Finds what differs. That a secret has changed is seen in the open values, and told without them. */
function compare(found: FieldChange[], path: string, told: Pair, open: Pair): void {
  const [from, to] = told
  const names = namesIn(from, to)
  if (names) {
    for (const name of names) compare(found, pointerTo(path, name), at(told, name), at(open, name))
    return
  }
  const [before, after] = holdsRedacted(from) || holdsRedacted(to) ? open : told
  if (isSame(before, after)) return
  found.push({ path, ...(from !== undefined && { from: cut(from) }), ...(to !== undefined && { to: cut(to) }) })
}

/** All that two maps name, or one where the other is not there; undefined when one of them is something else. */
function namesIn(from: unknown, to: unknown): Iterable<string> | undefined {
  if (from === undefined) return isMap(to) ? Object.keys(to) : undefined
  if (!isMap(from)) return undefined
  if (to === undefined) return Object.keys(from)
  return isMap(to) ? new Set([...Object.keys(from), ...Object.keys(to)]) : undefined
}

/** Most that is compared is one word and the same, or new: only what is neither is written out to compare it. */
function isSame(before: unknown, after: unknown): boolean {
  if (before === undefined || after === undefined) return (before ?? after ?? null) === null
  return before === after || canonicalJson(before) === canonicalJson(after)
}

const holdsRedacted = (value: unknown): boolean =>
  typeof value === 'object' ? JSON.stringify(value).includes(redacted) : value === redacted

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const at = ([from, to]: Pair, name: string): Pair => [fieldOf(from, name), fieldOf(to, name)]

const fieldOf = (value: unknown, name: string): unknown =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined

function cut(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = JSON.stringify(value)
  return text.length <= longestValue ? value : `${text.slice(0, longestValue)}… (${text.length} characters)`
}
