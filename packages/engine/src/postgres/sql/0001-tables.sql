-- Every name is compared byte by byte, as SQLite does, whatever the database's own collation is.

CREATE TABLE stead.meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL);

-- One row, read by every node with every look at the log. Nothing in it moves with a commit: a row that did would leave
-- a dead version behind each time, and while a backup holds an old snapshot open those pile up and are walked through.
CREATE TABLE stead.state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  compacted bigint NOT NULL, epoch bigint NOT NULL, observe_only boolean NOT NULL, minimum_version int NOT NULL
);

-- Never has a row. Whoever commits locks this table until its commit is on disk: that is what makes the log's order
-- strict and without holes, whichever node writes.
CREATE TABLE stead.turn ();

-- Kind and id never change; with room on the page an update touches no index.
CREATE TABLE stead.objects (
  kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, revision bigint NOT NULL, generation bigint NOT NULL,
  spec text NOT NULL, rest text NOT NULL, PRIMARY KEY (kind, id)
) WITH (fillfactor = 75);

CREATE TABLE stead.log (revision bigint PRIMARY KEY, at bigint NOT NULL, changes text NOT NULL);

CREATE TABLE stead.keys (key text COLLATE "C" PRIMARY KEY, holder text NOT NULL);
CREATE TABLE stead.counters (
  counter text COLLATE "C" PRIMARY KEY, value bigint NOT NULL, ceiling bigint
) WITH (fillfactor = 50);
CREATE TABLE stead.leases (
  name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL, expires_at bigint NOT NULL
) WITH (fillfactor = 50);

-- In commit order, so that forgetting the oldest is a walk from one end. With a conflict: it did not apply, and won't.
CREATE TABLE stead.change_sets (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE, revision bigint NOT NULL, at bigint NOT NULL, conflict text
);

-- A sequence has gaps after a failure, which records may have. Numbers are drawn in turn, so they grow in commit order.
CREATE SEQUENCE stead.record_sequence;
CREATE TABLE stead.records (
  record_table text COLLATE "C" NOT NULL, sequence bigint NOT NULL, at bigint NOT NULL,
  scope text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, body text NOT NULL,
  PRIMARY KEY (record_table, sequence)
);
CREATE INDEX records_by_scope ON stead.records (record_table, scope, sequence);
CREATE INDEX records_by_subject ON stead.records (record_table, scope, subject, sequence);

CREATE TABLE stead.blobs (
  kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL, PRIMARY KEY (kind, id, hash)
);
-- Sealed bytes do not compress: trying would only cost time.
ALTER TABLE stead.blobs ALTER COLUMN sealed SET STORAGE EXTERNAL;

CREATE TABLE stead.marks (
  mark text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, value text NOT NULL
) WITH (fillfactor = 50);

-- Waits for the turn, which lasts until the caller commits. Called first by whoever writes to the log or moves a fence.
CREATE PROCEDURE stead.take_turn_1() LANGUAGE plpgsql AS $$
BEGIN
  -- READ COMMITTED gives each statement a snapshot of its own: every one after the lock sees all that was committed
  -- before our turn. Any other isolation level would show us the past.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
  PERFORM set_config('lock_timeout', '2s', true);
  LOCK TABLE stead.turn IN EXCLUSIVE MODE;
END $$;

-- The one clock of all nodes.
CREATE FUNCTION stead.now_millis() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- Documents past 2 KB are compressed. Where the server has LZ4 that costs no more time than leaving them as they are, and
-- saves two thirds of the write-ahead log; PostgreSQL's own method costs half as much again.
DO $$ BEGIN
  ALTER TABLE stead.objects ALTER COLUMN spec SET COMPRESSION lz4, ALTER COLUMN rest SET COMPRESSION lz4;
  ALTER TABLE stead.log ALTER COLUMN changes SET COMPRESSION lz4;
  ALTER TABLE stead.records ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

INSERT INTO stead.state (compacted, epoch, observe_only, minimum_version) VALUES (0, 1, false, 1);
