import type { PostgresStoreOptions } from './open-store.ts'
import type { PostgresStore } from './store.ts'

export type { PostgresDescription } from './description.ts'
export type { NotificationState } from './notifications.ts'
export type { PostgresStoreOptions } from './open-store.ts'
export type { PostgresStore } from './store.ts'

/** Loaded when it is used: pg and what belongs to it would cost every start on SQLite 40 ms and more. */
const load = () => import('./open-store.ts')

/** Opens the store of this database, making it if there is none. Rejects with OpenError, and then nothing was damaged. */
export const openPostgresStore = async (options: PostgresStoreOptions): Promise<PostgresStore> =>
  (await load()).openPostgresStore(options)

/**
 * Says that the database was brought back from a backup of its files, which looks like the original in every way. The next
 * to open it starts a new epoch and only observes. No node may run meanwhile. A loaded dump is known as a copy without this.
 */
export const markPostgresRestored = async (options: Omit<PostgresStoreOptions, 'poolSize'>): Promise<void> =>
  (await load()).markPostgresRestored(options)
