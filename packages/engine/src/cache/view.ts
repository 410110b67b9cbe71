import type { Kind } from '../words/kind.ts'
import type { Revision, StoredObject } from '../words/object.ts'
import type { Contents } from './contents.ts'
import { type Criteria, countSelected, inScope, type Page, type Query, type Scope, selectPage } from './select.ts'

/**
 * What one scope may see. Every call answers at once and from one revision; two calls with nothing awaited between them
 * answer from the same one.
 */
export interface View {
  readonly revision: Revision
  /** What is of another scope does not exist here. */
  get<T extends StoredObject = StoredObject>(kind: Kind<T> | string, id: string): T | undefined
  list<T extends StoredObject = StoredObject>(query: Query<T>): Page<T>
  count<T extends StoredObject = StoredObject>(criteria: Criteria<T>): number
  /**
   * Moves whenever an object of the kind comes, changes or goes, in whatever scope. What was worked out from such objects
   * holds for as long as this stays.
   */
  version(kind: string): number
  /** Every kind there is at least one object of, in no order. */
  kinds(): readonly string[]
  /** What is in one project or organization. Only who sees everything can look into any of them. */
  within(scope: Exclude<Scope, 'platform'>): View
}

export class ScopedView implements View {
  private readonly contents: Contents
  private readonly scope: Scope
  private readonly currentRevision: () => Revision

  constructor(contents: Contents, scope: Scope, currentRevision: () => Revision) {
    this.contents = contents
    this.scope = scope
    this.currentRevision = currentRevision
  }

  get revision(): Revision {
    return this.currentRevision()
  }

  get<T extends StoredObject>(kind: Kind<T> | string, id: string): T | undefined {
    const object = this.contents.find({ kind, id })
    return object && inScope(object, this.scope) ? (object as T) : undefined
  }

  list<T extends StoredObject>(query: Query<T>): Page<T> {
    // The kind of the query is what makes an object a T: everything under it was put as one.
    const page = selectPage(this.contents, this.scope, query as unknown as Query)
    return { ...page, revision: this.revision } as Page<T>
  }

  count<T extends StoredObject>(criteria: Criteria<T>): number {
    return countSelected(this.contents, this.scope, criteria as unknown as Criteria)
  }

  version(kind: string): number {
    return this.contents.table(kind)?.version ?? 0
  }

  kinds(): readonly string[] {
    return this.contents.kinds().filter(kind => this.count({ kind }) > 0)
  }

  within(scope: Exclude<Scope, 'platform'>): View {
    if (this.scope !== 'platform') throw new Error('a view of one scope cannot look into another')
    return new ScopedView(this.contents, scope, this.currentRevision)
  }
}
