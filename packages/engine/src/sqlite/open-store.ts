import { join } from 'node:path'
import { newId, type World } from '@stead/world'
import { LogTail } from '../log/tail.ts'
import type { LogEntry } from '../words/log.ts'
import { StoreLock } from './lock.ts'
import { prepareFile } from './open.ts'
import { SqliteStore } from './store.ts'
import { SqliteThreads } from './threads.ts'

export interface SqliteStoreOptions {
  /** Holds `stead.db` and what belongs to it. Made if it does not exist. */
  readonly directory: string
  readonly world: World
}

/** The store's file in a data directory. */
export const storePath = (directory: string): string => join(directory, 'stead.db')

/** Opens the store of this directory, making it if there is none. Rejects with OpenError, and then nothing was damaged. */
export async function openSqliteStore({ directory, world }: SqliteStoreOptions): Promise<SqliteStore> {
  const path = storePath(directory)
  prepareFile(path)
  const lock = StoreLock.take(path)
  const failure = Promise.withResolvers<Error>()
  let tail: LogTail | undefined
  const threads = new SqliteThreads({
    world,
    start: { path, newStoreId: newId(world, 'store'), witness: lock.witness() },
    onEntries: (entries: readonly LogEntry[]) => tail!.append(entries),
    onFailure(error) {
      tail?.close(error)
      failure.resolve(error)
    },
  })
  try {
    const { identity, head, compacted } = await threads.opened()
    lock.remember({ storeId: identity.storeId, epoch: identity.epoch, revision: head })
    tail = new LogTail({ head, compacted, readLog: (after, limit) => store.readLog(after, limit) })
    const store = new SqliteStore({ world, path, identity, threads, tail, lock, failed: failure.promise })
    return store
  } catch (error) {
    await threads.kill()
    lock.release()
    throw error
  }
}
