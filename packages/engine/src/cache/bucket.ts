import type { StoredObject } from '../words/object.ts'

/** Where the newest version of one object is kept. Indexes hold cells, so a change that moves no index touches one pointer. */
export interface Cell {
  object: StoredObject
}

/**
 * Some objects in the order of their ids. Most buckets hold one object and cost nothing beyond it; up to a chunk is a
 * flat array; more are chunks. Ids grow with time, so an insert is nearly always a push at the end.
 */
export type Bucket = Cell | Cell[] | Chunks

/** A chunk is split when it is full: inserting in the middle then moves at most 4 KB of pointers. */
export const chunkSize = 512

interface Chunks {
  readonly chunks: Cell[][]
  size: number
}

const isChunks = (bucket: Bucket): bucket is Chunks => 'chunks' in bucket

export function sizeOf(bucket: Bucket | undefined): number {
  if (!bucket) return 0
  if (Array.isArray(bucket)) return bucket.length
  return isChunks(bucket) ? bucket.size : 1
}

/** The bucket with this cell in it, once however often it is added. It may be the same one, changed: keep what is answered. */
export function withCell(bucket: Bucket | undefined, cell: Cell): Bucket {
  if (!bucket) return cell
  if (Array.isArray(bucket)) return insertFlat(bucket, cell)
  if (isChunks(bucket)) return insertChunked(bucket, cell)
  if (bucket === cell) return bucket
  return bucket.object.id < cell.object.id ? [bucket, cell] : [cell, bucket]
}

/** The bucket without this cell; undefined when it was the last. */
export function withoutCell(bucket: Bucket, cell: Cell): Bucket | undefined {
  if (Array.isArray(bucket)) {
    removeFlat(bucket, cell)
    return bucket.length === 1 ? bucket[0] : bucket
  }
  if (!isChunks(bucket)) return bucket === cell ? undefined : bucket
  removeChunked(bucket, cell)
  return bucket.chunks.length === 1 ? bucket.chunks[0] : bucket
}

/** Visits in order of ids, from the first id greater than `after`, until `visit` answers false. */
export function visit(bucket: Bucket, after: string | undefined, visit: (object: StoredObject) => boolean): void {
  if (Array.isArray(bucket)) visitChunk(bucket, placeAfter(bucket, after), visit)
  else if (isChunks(bucket)) {
    const { chunks } = bucket
    let chunk = after === undefined ? 0 : chunkFor(chunks, after)
    let place = placeAfter(chunks[chunk]!, after)
    while (chunk < chunks.length && visitChunk(chunks[chunk]!, place, visit)) {
      chunk++
      place = 0
    }
  } else if (after === undefined || bucket.object.id > after) visit(bucket.object)
}

function visitChunk(chunk: Cell[], from: number, visit: (object: StoredObject) => boolean): boolean {
  for (let place = from; place < chunk.length; place++) if (!visit(chunk[place]!.object)) return false
  return true
}

/** Index of the first cell whose id is greater than `id`. */
function placeAfter(chunk: Cell[], id: string | undefined): number {
  if (id === undefined) return 0
  let low = 0
  let high = chunk.length
  if (high > 0 && chunk[high - 1]!.object.id <= id) return high
  while (low < high) {
    const middle = (low + high) >> 1
    if (chunk[middle]!.object.id <= id) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of the chunk where this id is or belongs. */
function chunkFor(chunks: Cell[][], id: string): number {
  let low = 0
  let high = chunks.length - 1
  if (chunks[high]![0]!.object.id <= id) return high
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (chunks[middle]![0]!.object.id <= id) low = middle
    else high = middle - 1
  }
  return low
}

function insertFlat(bucket: Cell[], cell: Cell): Bucket {
  const place = placeAfter(bucket, cell.object.id)
  if (bucket[place - 1] === cell) return bucket
  // An array that has grown by a push keeps 17 or more free places: too many for the thousands of small buckets there are.
  if (bucket.length < 32) return bucket.toSpliced(place, 0, cell)
  insertAt(bucket, place, cell)
  return bucket.length <= chunkSize ? bucket : { chunks: splitChunk(bucket, place), size: bucket.length }
}

function insertChunked(bucket: Chunks, cell: Cell): Bucket {
  const index = chunkFor(bucket.chunks, cell.object.id)
  const chunk = bucket.chunks[index]!
  const place = placeAfter(chunk, cell.object.id)
  if (chunk[place - 1] === cell) return bucket
  insertAt(chunk, place, cell)
  bucket.size++
  if (chunk.length > chunkSize) bucket.chunks.splice(index, 1, ...splitChunk(chunk, place))
  return bucket
}

/** A splice allocates the array of what it took out, even at the end, where nearly every insert is. */
function insertAt(chunk: Cell[], place: number, cell: Cell): void {
  if (place === chunk.length) chunk.push(cell)
  else chunk.splice(place, 0, cell)
}

/** Ids that only grow fill chunks to the brim; elsewhere both halves keep room. */
function splitChunk(chunk: Cell[], insertedAt: number): Cell[][] {
  const at = insertedAt === chunk.length - 1 ? insertedAt : chunk.length >> 1
  return [chunk.slice(0, at), chunk.slice(at)]
}

function removeFlat(chunk: Cell[], cell: Cell): boolean {
  const place = placeAfter(chunk, cell.object.id) - 1
  if (chunk[place] !== cell) return false
  chunk.splice(place, 1)
  return true
}

function removeChunked(bucket: Chunks, cell: Cell): void {
  const index = chunkFor(bucket.chunks, cell.object.id)
  const chunk = bucket.chunks[index]!
  if (!removeFlat(chunk, cell)) return
  bucket.size--
  if (chunk.length === 0) bucket.chunks.splice(index, 1)
}
