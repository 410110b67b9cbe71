import type { Ref, StoredObject } from '../words/object.ts'
import { type Index, KindTable } from './kind-table.ts'

/** A version of an object came or went. */
export interface CacheChange {
  readonly op: 'put' | 'remove'
  /** The object after a put, or as it last was before a remove. */
  readonly object: StoredObject
  /** The version before this one, when there was one. */
  readonly previous?: StoredObject
}

/** The objects of the cache and their indexes. Synchronous, and knows nothing of stores. */
export class Contents {
  private readonly tables = new Map<string, KindTable>()
  private readonly indexes: readonly Index[]
  private readonly onBug: (error: unknown, fields: object) => void

  constructor(indexes: readonly Index[], onBug: (error: unknown, fields: object) => void) {
    const declared = new Set(indexes.map(({ kind, name }) => `${kind}/${name}`))
    if (declared.size < indexes.length) throw new Error('two indexes of one kind have the same name')
    this.onBug = onBug
    this.indexes = indexes.map(index => this.contained(index))
  }

  table(kind: string): KindTable | undefined {
    return this.tables.get(kind)
  }

  /** Every kind of which there is or was something. */
  kinds(): readonly string[] {
    return [...this.tables.keys()]
  }

  find({ kind, id }: Ref): StoredObject | undefined {
    return this.tables.get(kind)?.cells.get(id)?.object
  }

  /** Whether this kind has an index of this name: asking for another is a bug, not an empty answer. */
  hasIndex(kind: string, name: string): boolean {
    return this.indexes.some(index => index.kind === kind && index.name === name)
  }

  put(object: StoredObject): CacheChange {
    let table = this.tables.get(object.kind)
    if (!table) {
      table = new KindTable(this.indexes.filter(({ kind }) => kind === object.kind))
      this.tables.set(object.kind, table)
    }
    const previous = table.put(object)
    return previous ? { op: 'put', object, previous } : { op: 'put', object }
  }

  remove(object: StoredObject): CacheChange {
    const previous = this.tables.get(object.kind)?.remove(object.id)
    return previous ? { op: 'remove', object, previous } : { op: 'remove', object }
  }

  *all(): Iterable<StoredObject> {
    for (const { cells } of this.tables.values()) for (const { object } of cells.values()) yield object
  }

  get size(): number {
    let size = 0
    for (const { cells } of this.tables.values()) size += cells.size
    return size
  }

  /** A bug in an index function costs the entries of the objects it fails on, not the whole cache. */
  private contained(index: Index): Index {
    return {
      name: index.name,
      kind: index.kind,
      keys: object => {
        try {
          return index.keys(object)
        } catch (error) {
          this.onBug(error, { index: index.name, kind: object.kind, id: object.id })
          return []
        }
      },
    }
  }
}
