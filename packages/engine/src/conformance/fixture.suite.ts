import { instant, realWorld } from '@stead/world'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import type { Conflict } from '../words/conflict.ts'
import { ConflictError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import { type BaseStatus, type ObjectDraft, type Revision, refKey, type StoredObject } from '../words/object.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory, StoreHome } from './factory.ts'

export const never = new AbortController().signal
export const newSet = () => changeSet(realWorld)

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

let lastName = 0
/** A name no other test of this run uses, so that tests can share a store. */
export const unique = (prefix: string): string => `${prefix}-${++lastName}`

export const widget = (id: string, spec: unknown = { size: 1 }, status: BaseStatus = {}): ObjectDraft => ({
  kind: 'widget',
  id,
  labels: {},
  finalizers: [],
  createdAt: instant(1),
  spec,
  status,
})

/** One store for all tests of a `describe`; they use names of their own. */
export function shareStores(factory: StoreFactory): { readonly all: readonly Store[]; readonly one: Store } {
  const stores: Store[] = []
  let home: StoreHome
  beforeAll(async () => {
    home = await factory.create()
    for (let node = 0; node < factory.nodes; node++) stores.push(await home.open())
  })
  afterAll(async () => {
    await Promise.all(stores.map(store => store.close()))
    await home?.destroy()
  })
  return {
    all: stores,
    get one() {
      return stores[0]!
    },
  }
}

/** The log's head. A node may not have heard yet of what others committed, but each knows its own. */
export const logHead = (stores: readonly Store[]): Revision => Math.max(...stores.map(store => store.head()))

export interface TestHome {
  readonly open: () => Promise<Store>
  readonly openAll: () => Promise<readonly Store[]>
  readonly home: StoreHome
}

/** A home for the running test; whatever it opened is closed and removed after it. */
export async function newHome(factory: StoreFactory, create = () => factory.create()): Promise<TestHome> {
  const home = await create()
  const opened: Store[] = []
  onTestFinished(async () => {
    await Promise.all(opened.map(store => store.close()))
    await home.destroy()
  })
  const open = async () => {
    const store = await home.open()
    opened.push(store)
    return store
  }
  return {
    home,
    open,
    async openAll() {
      const stores: Store[] = []
      for (let node = 0; node < factory.nodes; node++) stores.push(await open())
      return stores
    },
  }
}

/** The conflict a commit ends in; anything else fails the test. */
export async function conflictOf(commit: Promise<Committed>): Promise<Conflict> {
  try {
    const { revision } = await commit
    throw new Error(`expected a conflict, but it was committed at revision ${revision}`)
  } catch (error) {
    if (error instanceof ConflictError) return error.conflict
    throw error
  }
}

/** Commits and answers the objects as the log has them. */
export async function commitAndRead(store: Store, set: ChangeSet): Promise<readonly StoredObject[]> {
  const { revision } = await store.commit(set)
  const [entry] = await take(store, revision - 1, 1)
  return entry!.changes.map(({ object }) => object)
}

/** The first `count` entries after a revision. */
export async function take(store: Store, after: Revision, count: number): Promise<readonly LogEntry[]> {
  const taken: LogEntry[] = []
  if (count === 0) return taken
  for await (const batch of store.watch(after, never)) {
    taken.push(...batch)
    if (taken.length >= count) break
  }
  return taken.slice(0, count)
}

export async function readAll(store: Store): Promise<{ revision: Revision; objects: readonly StoredObject[] }> {
  const { revision, objects } = await store.snapshot()
  const all: StoredObject[] = []
  for await (const chunk of objects) all.push(...chunk)
  return { revision, objects: all }
}

/** What a cache would hold after following these entries. */
export function replay(entries: readonly LogEntry[], start: readonly StoredObject[] = []): Map<string, StoredObject> {
  const objects = byRef(start)
  for (const { changes } of entries)
    for (const { op, object } of changes)
      if (op === 'put') objects.set(refKey(object), object)
      else objects.delete(refKey(object))
  return objects
}

export const byRef = (objects: readonly StoredObject[]): Map<string, StoredObject> =>
  new Map(objects.map(object => [refKey(object), object]))

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** The n-th of these, round and round: spreads work over the nodes of a store. */
export const pick = <T>(from: readonly T[], index: number): T => from[index % from.length]!
