import type { EncodedChangeSet } from '../encoding.ts'
import type { Batch } from './batch.ts'

/**
 * A batch as it travels between threads: its documents as a flat list of strings, all that is around them as one JSON
 * text. A structured clone of the change-sets costs five times as much, and JSON of everything would escape each
 * document once more.
 */
export interface PackedBatch {
  readonly outline: string
  readonly documents: readonly string[]
  readonly blobs: readonly Uint8Array[]
}

type Outline = Omit<Batch, 'sets'> & { readonly sets: readonly EncodedChangeSet[] }

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

export function unpackBatch({ outline, documents, blobs }: PackedBatch): Batch {
  const { now, sets, calls } = JSON.parse(outline) as Outline
  let document = 0
  let blob = 0
  return {
    now,
    calls,
    sets: sets.map(set => ({
      ...set,
      puts: set.puts.map(({ kind, id }) => ({ kind, id, spec: documents[document++]!, rest: documents[document++]! })),
      records: set.records.map(record => ({ ...record, body: documents[document++]! })),
      blobs: set.blobs.map(each => ({ ...each, sealed: blobs[blob++]! })),
    })),
  }
}
