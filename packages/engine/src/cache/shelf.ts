import type { StoredObject } from '../words/object.ts'
import { type Bucket, type Cell, withCell, withoutCell } from './bucket.ts'
import { Buckets } from './buckets.ts'

/** A label as one string. Nothing else has a zero byte in it, so no two labels meet. */
export const labelKey = (key: string, value: string): string => `${key}\0${value}`

/** All objects of one kind in one project, or of all, by label and by name. */
export class Shelf {
  all: Bucket | undefined
  readonly labels = new Buckets()
  readonly names = new Buckets()

  add(cell: Cell): void {
    this.all = withCell(this.all, cell)
    const { labels, name } = cell.object
    for (const key in labels) this.labels.add(labelKey(key, labels[key]!), cell)
    if (name !== undefined) this.names.add(name, cell)
  }

  remove(cell: Cell): void {
    if (this.all) this.all = withoutCell(this.all, cell)
    const { labels, name } = cell.object
    for (const key in labels) this.labels.remove(labelKey(key, labels[key]!), cell)
    if (name !== undefined) this.names.remove(name, cell)
  }
}

/** Whether two versions stand in the same places of the same shelves. */
export function sameShelving(a: StoredObject, b: StoredObject): boolean {
  return (
    a.name === b.name &&
    a.projectId === b.projectId &&
    a.organizationId === b.organizationId &&
    a.owner?.id === b.owner?.id &&
    sameLabels(a.labels, b.labels)
  )
}

export function sameLabels(a: StoredObject['labels'], b: StoredObject['labels']): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => a[key] === b[key])
}
