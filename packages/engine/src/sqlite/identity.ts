import { readFileSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Revision } from '../words/object.ts'
import type { StoreIdentity } from '../words/store.ts'
import type { Witness } from './lock.ts'

/** What a backup says of its home: wherever it is opened, it is a copy. */
export const homeless = 'backup'

/** Where this file lives. A copy has another inode, or is on another machine; a move within a file system keeps both. */
export function homeOf(path: string): string {
  return `${machineId()}/${statSync(path, { bigint: true }).ino}`
}

function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim()
  } catch {
    return ''
  }
}

export interface Circumstances {
  /** The id to take if this store is new. */
  readonly newStoreId: string
  readonly home: string
  readonly witness: Witness | undefined
  readonly head: Revision
}

/**
 * Who this store is. One found away from home, or behind what it once was, is a copy: it starts a new epoch and only
 * observes, because the original may be alive and both would act on the same machines.
 * Runs inside the transaction that opens the store.
 */
export function settleIdentity(database: DatabaseSync, circumstances: Circumstances): StoreIdentity {
  const known = readIdentity(database)
  if (!known) {
    const fresh = { storeId: circumstances.newStoreId, epoch: 1, observeOnly: false }
    writeIdentity(database, fresh, circumstances.home)
    return fresh
  }
  const { identity, home } = known
  const witness = circumstances.witness?.storeId === identity.storeId ? circumstances.witness : undefined
  if (home === circumstances.home && !isBehind(identity, circumstances.head, witness)) return identity
  const epoch = Math.max(identity.epoch, witness?.epoch ?? 0) + 1
  const copy = { ...identity, epoch, observeOnly: true }
  writeIdentity(database, copy, circumstances.home)
  return copy
}

const isBehind = ({ epoch }: StoreIdentity, head: Revision, witness: Witness | undefined): boolean =>
  witness !== undefined && (witness.epoch > epoch || (witness.epoch === epoch && witness.revision > head))

export function readIdentity(database: DatabaseSync): { identity: StoreIdentity; home: string } | undefined {
  const get = database.prepare('SELECT value FROM meta WHERE key = ?')
  const value = (key: string) => (get.get(key) as { value: string } | undefined)?.value
  const storeId = value('store_id')
  if (storeId === undefined) return undefined
  const identity = { storeId, epoch: Number(value('epoch')), observeOnly: value('observe_only') === '1' }
  return { identity, home: value('home') ?? '' }
}

export function writeIdentity(database: DatabaseSync, identity: StoreIdentity, home: string): void {
  const set = database.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
  set.run('store_id', identity.storeId)
  set.run('epoch', String(identity.epoch))
  set.run('observe_only', identity.observeOnly ? '1' : '0')
  set.run('home', home)
}

export function endObserveOnly(database: DatabaseSync): void {
  database.prepare(`UPDATE meta SET value = '0' WHERE key = 'observe_only'`).run()
}
