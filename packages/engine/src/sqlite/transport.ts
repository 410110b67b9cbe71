import type { Batch } from './batch.ts'

/**
 * A batch as it travels between threads: its documents as a flat list of strings, all that is around them as one JSON
 * text. There and back that is 5.2 µs a change-set. A structured clone of it takes 7.0, and JSON of everything, which
 * escapes each document once more, twice that.
 */
export interface PackedBatch {
  readonly outline: string
  readonly documents: readonly string[]
  readonly blobs: readonly Uint8Array[]
}

export function packBatch({ now, sets, calls }: Batch): PackedBatch {
  const documents: string[] = []
  const blobs: Uint8Array[] = []
  const outlines = sets.map(set => ({
    ...set,
    puts: set.puts.map(({ kind, id, spec, rest }) => {
      documents.push(spec, rest)
      return { kind, id }
    }),
    records: set.records.map(({ table, subject, scope, body }) => {
      documents.push(body)
      return { table, subject, scope }
    }),
    blobs: set.blobs.map(({ owner, hash, sealed }) => {
      blobs.push(sealed)
      return { owner, hash }
    }),
  }))
  return { outline: JSON.stringify({ now, sets: outlines, calls }), documents, blobs }
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

export function unpackBatch({ outline, documents, blobs }: PackedBatch): Batch {
  const batch = JSON.parse(outline) as Batch
  let document = 0
  let blob = 0
  // What was just parsed is nobody else's: filled in where it lies.
  for (const { puts, records, blobs: sealed } of batch.sets) {
    for (const put of puts as Writable<(typeof puts)[number]>[]) {
      put.spec = documents[document++]!
      put.rest = documents[document++]!
    }
    for (const record of records as Writable<(typeof records)[number]>[]) record.body = documents[document++]!
    for (const each of sealed as Writable<(typeof sealed)[number]>[]) each.sealed = blobs[blob++]!
  }
  return batch
}
