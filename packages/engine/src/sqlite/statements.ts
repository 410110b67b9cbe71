import type { DatabaseSync } from 'node:sqlite'

/** Every statement of the write path, prepared once. */
export function prepareWrites(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    begin: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    // After some failures (a full disk) SQLite has rolled back by itself already.
    rollback: () => {
      if (database.isTransaction) database.exec('ROLLBACK')
    },
    position: prepare(`
      SELECT max(coalesce((SELECT max(revision) FROM log), 0),
                 coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'compacted'), 0)) AS head,
             max(coalesce((SELECT at FROM log ORDER BY revision DESC LIMIT 1), 0),
                 coalesce((SELECT at FROM change_sets ORDER BY sequence DESC LIMIT 1), 0)) AS latest,
             coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'record_sequence'), 0) AS sequence`),
    setMeta: prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)'),
    findOutcome: prepare('SELECT revision, at, conflict FROM change_sets WHERE id = ?'),
    insertOutcome: prepare('INSERT INTO change_sets (id, revision, at, conflict) VALUES (?, ?, ?, ?)'),
    // Only what deciding takes: the rest of an object, its larger half, would be copied for nothing.
    findObject: prepare('SELECT rowid AS place, revision, generation, spec FROM objects WHERE kind = ? AND id = ?'),
    insertObject: prepare('INSERT INTO objects (kind, id, revision, generation, spec, rest) VALUES (?, ?, ?, ?, ?, ?)'),
    // By place: the index has been asked already.
    updateObject: prepare('UPDATE objects SET revision = ?, generation = ?, spec = ?, rest = ? WHERE rowid = ?'),
    updateRest: prepare('UPDATE objects SET revision = ?, rest = ? WHERE rowid = ?'),
    deleteObject: prepare('DELETE FROM objects WHERE rowid = ? RETURNING kind, id, revision, generation, spec, rest'),
    appendLog: prepare('INSERT INTO log (revision, at, changes) VALUES (?, ?, ?)'),
    findKey: prepare('SELECT holder FROM keys WHERE key = ?'),
    insertKey: prepare('INSERT INTO keys (key, holder) VALUES (?, ?)'),
    deleteKey: prepare('DELETE FROM keys WHERE key = ?'),
    findCounter: prepare('SELECT value, ceiling FROM counters WHERE counter = ?'),
    moveCounter: prepare(`
      INSERT INTO counters (counter, value) VALUES (?, ?)
      ON CONFLICT (counter) DO UPDATE SET value = value + excluded.value`),
    setLimit: prepare(`
      INSERT INTO counters (counter, value, ceiling) VALUES (?, 0, ?)
      ON CONFLICT (counter) DO UPDATE SET ceiling = excluded.ceiling`),
    findFence: prepare('SELECT fence FROM leases WHERE name = ?'),
    insertRecord: prepare(
      'INSERT INTO records (record_table, sequence, at, scope, subject, body) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    putBlob: prepare('INSERT OR IGNORE INTO blobs (kind, id, hash, sealed) VALUES (?, ?, ?, ?)'),
    deleteBlob: prepare('DELETE FROM blobs WHERE kind = ? AND id = ? AND hash = ?'),
    deleteBlobs: prepare('DELETE FROM blobs WHERE kind = ? AND id = ?'),
  }
}
