import type { Kind } from '../words/kind.ts'
import { type Ref, type Revision, type StoredObject, sameRef } from '../words/object.ts'
import { type Bucket, sizeOf, visit } from './bucket.ts'
import type { Contents } from './contents.ts'
import type { KindTable } from './kind-table.ts'
import { labelKey } from './shelf.ts'

/** Which objects. Everything given must hold. */
export interface Criteria<T extends StoredObject = StoredObject> {
  readonly kind: Kind<T> | string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly owner?: Ref
  /** A declared index of this kind, and the key to look under. */
  readonly index?: { readonly name: string; readonly key: string }
  /** Anything else. Tried on every object the rest leaves. */
  readonly where?: (object: T) => boolean
}

export interface Query<T extends StoredObject = StoredObject> extends Criteria<T> {
  /** The `next` of the page before. */
  readonly after?: string
  /** Default: all. */
  readonly limit?: number
}

/** Part of a list, in order of ids, all of one revision. */
export interface Page<T extends StoredObject = StoredObject> {
  readonly items: readonly T[]
  readonly revision: Revision
  /** How many there are on all pages. */
  readonly total: number
  /** Where the next page starts. Absent on the last. It stays right while objects come and go: it is an id, not a count. */
  readonly next?: string
}

/** Whose objects may be seen. */
export type Scope = { readonly project: string } | { readonly organization: string } | 'platform'

export function inScope(object: StoredObject, scope: Scope): boolean {
  if (scope === 'platform') return true
  return 'project' in scope ? object.projectId === scope.project : object.organizationId === scope.organization
}

type Test = (object: StoredObject) => boolean

/** A bucket that holds at least everything asked for, and which of the tests it makes needless. */
interface Candidate {
  readonly bucket: Bucket | undefined
  readonly settles: readonly Test[]
}

/** Where to look, and what still has to be tried on each object there. */
interface Plan {
  readonly bucket: Bucket
  readonly tests: readonly Test[]
}

export function selectPage(contents: Contents, scope: Scope, query: Query): Omit<Page, 'revision'> {
  const plan = makePlan(contents, scope, query)
  if (!plan) return { items: [], total: 0 }
  const { after, limit = Number.POSITIVE_INFINITY } = query
  const items: StoredObject[] = []
  let more = false
  const take = (object: StoredObject) => {
    more = items.length >= limit
    if (!more) items.push(object)
    return !more
  }
  const total = plan.tests.length === 0 ? sizeOf(plan.bucket) : countAndTake(plan, after, take)
  if (plan.tests.length === 0) visit(plan.bucket, after, take)
  const last = items.at(-1)
  return more && last ? { items, total, next: last.id } : { items, total }
}

export function countSelected(contents: Contents, scope: Scope, criteria: Criteria): number {
  const plan = makePlan(contents, scope, criteria)
  if (!plan) return 0
  return plan.tests.length === 0 ? sizeOf(plan.bucket) : countAndTake(plan, undefined, () => false)
}

/** Counts all, and takes those after the cursor for as long as they are wanted. */
function countAndTake({ bucket, tests }: Plan, after: string | undefined, take: (object: StoredObject) => boolean) {
  let total = 0
  let wanted = true
  visit(bucket, undefined, object => {
    if (!tests.every(test => test(object))) return true
    total++
    if (wanted && (after === undefined || object.id > after)) wanted = take(object)
    return true
  })
  return total
}

/**
 * Looks where nothing is left to try, or else in the smallest bucket that has everything; undefined when one that must have it does
 * not exist.
 */
function makePlan(contents: Contents, scope: Scope, criteria: Criteria): Plan | undefined {
  const { kind, index } = criteria
  if (index && !contents.hasIndex(kind, index.name)) throw new Error(`${kind} has no index named ${index.name}`)
  const table = contents.table(kind)
  if (!table) return undefined
  const { candidates, tests } = spell(table, scope, criteria)
  let best: Plan | undefined
  for (const { bucket, settles } of candidates) {
    if (!bucket) return undefined
    const plan = { bucket, tests: settles.length === 0 ? tests : tests.filter(test => !settles.includes(test)) }
    if (!best || toTry(plan) < toTry(best)) best = plan
  }
  return best
}

/** How many objects have to be looked at to count them. */
const toTry = ({ bucket, tests }: Plan): number => (tests.length === 0 ? 0 : sizeOf(bucket))

/** Every criterion twice: as a place to look, and as a test for objects found elsewhere. */
function spell(table: KindTable, scope: Scope, { name, labels, owner, index, where }: Criteria) {
  const { all, shelf, scopeTests, shelfSettles } = enter(table, scope)
  const candidates: Candidate[] = [{ bucket: all, settles: scopeTests }]
  const tests: Test[] = [...scopeTests]
  const add = (bucket: Bucket | undefined, test: Test, settles: readonly Test[]) => {
    candidates.push({ bucket, settles })
    tests.push(test)
  }
  if (name !== undefined) {
    const test: Test = object => object.name === name
    add(shelf?.names.get(name), test, [test, ...shelfSettles])
  }
  for (const key in labels) {
    const value = labels[key]!
    const test: Test = object => object.labels[key] === value
    add(shelf?.labels.get(labelKey(key, value)), test, [test, ...shelfSettles])
  }
  // Found by id alone, which settles nothing about the owner's kind.
  if (owner) add(table.owned.get(owner.id), object => object.owner !== undefined && sameRef(object.owner, owner), none)
  if (index) {
    const declared = table.indexes.get(index.name)!
    const test: Test = object => declared.index.keys(object).includes(index.key)
    add(declared.buckets.get(index.key), test, [test])
  }
  if (where) tests.push(where)
  return { candidates, tests }
}

/** Where a scope's objects stand. An organization has no shelf: its labels and names are looked up among everybody's. */
function enter(table: KindTable, scope: Scope) {
  if (scope === 'platform')
    return { all: table.platform.all, shelf: table.platform, scopeTests: none, shelfSettles: none }
  const scopeTests: readonly Test[] = [object => inScope(object, scope)]
  if ('organization' in scope) {
    const all = table.organizations.get(scope.organization)
    return { all, shelf: table.platform, scopeTests, shelfSettles: none }
  }
  const shelf = table.projects.get(scope.project)
  return { all: shelf?.all, shelf, scopeTests, shelfSettles: scopeTests }
}

/** Controllers ask for what an object owns at every step: what is always the same is made once. */
const none: readonly Test[] = []
