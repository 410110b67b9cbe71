-- Takes every named lease that is free, expired or already the holder's; answers those it now holds, as JSON.
-- A fence moves only in a turn, like a commit: a change-set that was let through with the old fence is in the log before
-- the new one exists. Renewing moves none, and needs no turn. Commits by itself, for the reason given at commit_batch_1.
CREATE PROCEDURE stead.acquire_leases_1(names text[], wanted_by text, ttl bigint, INOUT held text)
LANGUAGE plpgsql AS $$
DECLARE
  now_at bigint := stead.now_millis();
BEGIN
  IF EXISTS (
    SELECT FROM unnest(names) n(name) LEFT JOIN stead.leases l ON l.name = n.name
    WHERE l.name IS NULL OR l.expires_at <= now_at
  ) THEN
    CALL stead.take_turn_1();
    now_at := stead.now_millis();
    WITH taken AS (
      INSERT INTO stead.leases AS l (name, holder, fence, expires_at)
        SELECT DISTINCT n.name COLLATE "C", wanted_by, 1, now_at + ttl FROM unnest(names) n(name) ORDER BY 1
      ON CONFLICT (name) DO UPDATE
        SET fence = l.fence + (l.holder <> wanted_by OR l.expires_at <= now_at)::int, holder = excluded.holder,
          expires_at = excluded.expires_at
        WHERE l.holder = wanted_by OR l.expires_at <= now_at
      RETURNING l.name, l.holder, l.fence, l.expires_at
    )
    SELECT json_agg(json_build_object('name', t.name, 'holder', t.holder, 'fence', t.fence, 'expiresAt', t.expires_at))
      INTO held FROM taken t;
  ELSE
    held := stead.renew_leases_1(names, wanted_by, ttl);
  END IF;
  COMMIT;
END $$;

-- Extends those still held and not expired; answers them, as JSON. Locked in one order, so that two who renew many at once
-- never wait for each other in a circle.
CREATE FUNCTION stead.renew_leases_1(names text[], held_by text, ttl bigint) RETURNS text LANGUAGE sql VOLATILE AS $$
  WITH mine AS MATERIALIZED (
    SELECT l.name FROM stead.leases l WHERE l.name = ANY (names) AND l.holder = held_by ORDER BY l.name FOR UPDATE
  ), renewed AS (
    -- Looks at the clock again: waiting for the locks may have taken longer than the lease had left.
    UPDATE stead.leases l SET expires_at = stead.now_millis() + ttl FROM mine
      WHERE l.name = mine.name AND l.expires_at > stead.now_millis()
      RETURNING l.name, l.holder, l.fence, l.expires_at
  )
  SELECT json_agg(json_build_object('name', r.name, 'holder', r.holder, 'fence', r.fence, 'expiresAt', r.expires_at))::text
  FROM renewed r
$$;

-- The log's time never goes back, so halving the range finds the place without an index. STABLE: of one snapshot.
CREATE FUNCTION stead.revision_at_1(moment bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint; high bigint; middle bigint;
BEGIN
  SELECT s.compacted, coalesce((SELECT max(revision) FROM stead.log), s.compacted) INTO STRICT low, high
    FROM stead.state s;
  WHILE low < high LOOP
    middle := (low + high + 1) / 2;
    IF (SELECT l.at FROM stead.log l WHERE l.revision = middle) <= moment THEN low := middle;
    ELSE high := middle - 1;
    END IF;
  END LOOP;
  RETURN low;
END $$;

-- What came of a change-set. In a turn, so that one that was sent before and is still waiting for its own is told of too.
CREATE PROCEDURE stead.outcome_1(set_id text, INOUT revision bigint, INOUT at bigint) LANGUAGE plpgsql AS $$
BEGIN
  CALL stead.take_turn_1();
  SELECT c.revision, c.at INTO revision, at FROM stead.change_sets c WHERE c.id = set_id AND c.conflict IS NULL;
  COMMIT;
END $$;
