/** Marks the file as ours: `file` and a wrong path can be told apart from a damaged store. "STED" in ASCII. */
export const applicationId = 0x53544544

/**
 * One entry per schema version, in order; the file's `user_version` says how many have run.
 * Never edit one that has been released: add the next.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;

  -- A rowid table: rows are about 1 KB, too large for an index-organised one.
  CREATE TABLE objects (
    kind TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, generation INTEGER NOT NULL,
    spec TEXT NOT NULL, rest TEXT NOT NULL, UNIQUE (kind, id)
  ) STRICT;

  CREATE TABLE log (revision INTEGER PRIMARY KEY, at INTEGER NOT NULL, changes TEXT NOT NULL) STRICT;

  CREATE TABLE keys (key TEXT PRIMARY KEY, holder TEXT NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE counters (counter TEXT PRIMARY KEY, value INTEGER NOT NULL, ceiling INTEGER) WITHOUT ROWID, STRICT;
  CREATE TABLE leases (
    name TEXT PRIMARY KEY, holder TEXT NOT NULL, fence INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;

  -- In commit order, so that forgetting the oldest is a walk from one end. With a conflict: it did not apply, and won't.
  CREATE TABLE change_sets (
    sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, at INTEGER NOT NULL, conflict TEXT
  ) STRICT;

  -- Clustered by table, because each table forgets at its own age.
  CREATE TABLE records (
    record_table TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL,
    scope TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (record_table, sequence)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX records_by_scope ON records (record_table, scope, sequence);
  CREATE INDEX records_by_subject ON records (record_table, scope, subject, sequence);

  CREATE TABLE blobs (
    kind TEXT NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL, sealed BLOB NOT NULL, UNIQUE (kind, id, hash)
  ) STRICT;
  CREATE TABLE marks (mark TEXT PRIMARY KEY, at INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
  `,
  `
  CREATE TABLE series (
    subject TEXT NOT NULL, track TEXT NOT NULL, start INTEGER NOT NULL, data TEXT NOT NULL, UNIQUE (subject, track, start)
  ) STRICT;
  CREATE INDEX series_by_age ON series (track, start);
  `,
]
