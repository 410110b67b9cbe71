import { type Bucket, type Cell, withCell, withoutCell } from './bucket.ts'

/** Buckets by key. The map is made when the first key is: most scopes of most kinds have no label at all. */
export class Buckets {
  private map: Map<string, Bucket> | undefined

  get(key: string): Bucket | undefined {
    return this.map?.get(key)
  }

  add(key: string, cell: Cell): void {
    this.map ??= new Map()
    const before = this.map.get(key)
    const bucket = withCell(before, cell)
    if (bucket !== before) this.map.set(key, bucket)
  }

  remove(key: string, cell: Cell): void {
    const before = this.map?.get(key)
    if (!before) return
    const bucket = withoutCell(before, cell)
    if (bucket === undefined) this.map!.delete(key)
    else if (bucket !== before) this.map!.set(key, bucket)
  }
}
