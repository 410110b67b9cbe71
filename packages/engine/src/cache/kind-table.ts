import type { Kind } from '../words/kind.ts'
import type { StoredObject } from '../words/object.ts'
import type { Cell } from './bucket.ts'
import { Buckets } from './buckets.ts'
import { Shelf, sameShelving } from './shelf.ts'

/** A further way to find objects of a kind: under each of the keys a pure function reads off them. */
export interface Index<T extends StoredObject = StoredObject> {
  readonly name: string
  readonly kind: Kind<T> | string
  keys(object: T): readonly string[]
}

/** Everything of one kind, and every way to find it. */
export class KindTable {
  readonly cells = new Map<string, Cell>()
  /** How often something came, changed or went. */
  version = 0
  readonly platform = new Shelf()
  /** By organization, those in its projects too. No labels or names of its own: 60 bytes an object, for rare questions. */
  readonly organizations = new Buckets()
  readonly projects = new Map<string, Shelf>()
  /** By the id of the owner. */
  readonly owned = new Buckets()
  readonly indexes: ReadonlyMap<string, { readonly index: Index; readonly buckets: Buckets }>

  constructor(indexes: readonly Index[]) {
    this.indexes = new Map(indexes.map(index => [index.name, { index, buckets: new Buckets() }]))
  }

  /** Answers the version this one replaces. */
  put(object: StoredObject): StoredObject | undefined {
    this.version++
    const cell = this.cells.get(object.id)
    if (!cell) {
      const added: Cell = { object }
      this.cells.set(object.id, added)
      this.shelve(added)
      for (const { index, buckets } of this.indexes.values())
        for (const key of index.keys(object)) buckets.add(key, added)
      return undefined
    }
    const previous = cell.object
    const stays = sameShelving(previous, object)
    if (!stays) this.unshelve(cell)
    cell.object = object
    if (!stays) this.shelve(cell)
    this.moveInIndexes(cell, previous)
    return previous
  }

  remove(id: string): StoredObject | undefined {
    const cell = this.cells.get(id)
    if (!cell) return undefined
    this.version++
    this.cells.delete(id)
    this.unshelve(cell)
    for (const { index, buckets } of this.indexes.values())
      for (const key of index.keys(cell.object)) buckets.remove(key, cell)
    return cell.object
  }

  private shelve(cell: Cell): void {
    const { projectId, organizationId, owner } = cell.object
    this.platform.add(cell)
    if (organizationId !== undefined) this.organizations.add(organizationId, cell)
    if (projectId !== undefined) this.shelfOf(projectId).add(cell)
    if (owner) this.owned.add(owner.id, cell)
  }

  private unshelve(cell: Cell): void {
    const { projectId, organizationId, owner } = cell.object
    this.platform.remove(cell)
    if (organizationId !== undefined) this.organizations.remove(organizationId, cell)
    if (projectId !== undefined) this.takeOff(projectId, cell)
    if (owner) this.owned.remove(owner.id, cell)
  }

  private moveInIndexes(cell: Cell, previous: StoredObject): void {
    for (const { index, buckets } of this.indexes.values()) {
      const before = index.keys(previous)
      const now = index.keys(cell.object)
      for (const key of before) if (!now.includes(key)) buckets.remove(key, cell)
      for (const key of now) if (!before.includes(key)) buckets.add(key, cell)
    }
  }
  private shelfOf(projectId: string): Shelf {
    let shelf = this.projects.get(projectId)
    if (!shelf) {
      shelf = new Shelf()
      this.projects.set(projectId, shelf)
    }
    return shelf
  }

  private takeOff(projectId: string, cell: Cell): void {
    const shelf = this.projects.get(projectId)
    shelf?.remove(cell)
    if (shelf && !shelf.all) this.projects.delete(projectId)
  }
}
