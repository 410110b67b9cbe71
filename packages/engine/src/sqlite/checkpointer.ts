import type { DatabaseSync } from 'node:sqlite'

/** As many frames of the write-ahead log as are copied at a time when little is written: a stall of a few milliseconds. */
const calm = 1_000
/**
 * And when much is: a page that many commits change is copied once for all of them. At 256 writers this takes a fifth off
 * the cost of a commit; the log grows to 64 MiB.
 */
const pressed = 16_000
/** Change-sets in one batch from which on we are pressed. */
const largeBatch = 32

/** Copies the write-ahead log into the file. By itself SQLite would do so inside a commit, with its writers waiting. */
export class Checkpointer {
  private readonly progress: ReturnType<DatabaseSync['prepare']>
  private readonly copy: ReturnType<DatabaseSync['prepare']>

  constructor(database: DatabaseSync) {
    this.progress = database.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.copy = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  }

  /** To be called once the batch has been answered. */
  afterBatch(sets: number): void {
    const { log, checkpointed } = this.progress.get() as { log: number; checkpointed: number }
    if (log - checkpointed < (sets >= largeBatch ? pressed : calm)) return
    try {
      this.copy.get()
    } catch {
      // On a full disk, say: the log keeps what is in it, durable as before, and is copied another time. Whether more can
      // be written is for the next commit to find out and to tell.
    }
  }
}
