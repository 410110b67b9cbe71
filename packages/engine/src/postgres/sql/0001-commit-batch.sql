-- A batch of change-sets in one round trip. Each set applies whole or not at all, and sees the sets before it.
--
-- The client has given every distinct object, key, counter and lease of the batch a number, from 1; steps name them by
-- it. What they are now is read once; set by set is decided in memory; what changed is written at the end. So the number
-- of statements does not grow with the batch.
--
-- A procedure, because it commits by itself: the turn is over whether or not the client is still there to end its side
-- of the exchange.
CREATE PROCEDURE stead.commit_batch_1(
  set_ids text[],
  -- An earlier sending of this set may still arrive: its conflict must stand.
  set_resent boolean[],
  -- Where each set's steps end.
  set_ends int[],
  -- The steps of all sets. Each set's are in this order: what it expects (a absent, v revision, k key, f fence), removes
  -- (d), needs as owner of a blob (b), releases (r), takes (t), limits (l), moves (m) and puts (p). The number is a
  -- revision, fence, limit or move, or says which of the documents is put.
  step_types "char"[], step_targets int[], step_numbers bigint[], step_holders text[],
  put_specs text[], put_rests text[],
  -- The texts are the refs as the log's documents have them.
  ref_kinds text[], ref_ids text[], ref_texts text[],
  key_names text[], counter_names text[], lease_names text[],
  record_sets int[], record_tables text[], record_scopes text[], record_subjects text[], record_bodies text[],
  blob_sets int[], blob_refs int[], blob_hashes text[], blob_contents bytea[],
  drop_sets int[], drop_refs int[], drop_hashes text[],
  -- The answer, per set: revision and time, or a conflict.
  INOUT revisions bigint[], INOUT times bigint[], INOUT conflicts text
) LANGUAGE plpgsql AS $$
DECLARE
  head bigint; now_at bigint; log_start bigint;
  set_conflicts text[]; set_applied boolean[] := array_fill(false, ARRAY[cardinality(set_ids)]);
  -- Everything the batch touches, by number: as it is, then as the sets so far have made it.
  ref_revisions bigint[]; ref_generations bigint[]; ref_specs text[]; ref_rests text[];
  ref_touched boolean[] := array_fill(false, ARRAY[cardinality(ref_kinds)]);
  ref_removed_by int[] := array_fill(0, ARRAY[cardinality(ref_kinds)]);
  key_holders text[];
  key_touched boolean[] := array_fill(false, ARRAY[cardinality(key_names)]);
  key_freed_by int[] := array_fill(0, ARRAY[cardinality(key_names)]);
  counter_values bigint[]; counter_limits bigint[];
  counter_touched boolean[] := array_fill(false, ARRAY[cardinality(counter_names)]);
  -- What the set at hand would make of a counter. It says which set that is, so a conflict has nothing to undo.
  moved_by int[] := array_fill(0, ARRAY[cardinality(counter_names)]);
  moved_to bigint[] := array_fill(0::bigint, ARRAY[cardinality(counter_names)]);
  limited_by int[] := array_fill(0, ARRAY[cardinality(counter_names)]);
  limited_to bigint[] := array_fill(0::bigint, ARRAY[cardinality(counter_names)]);
  fences bigint[];
  log_changes text[];
  first_step int; last_step int := 0; target int; step_type "char"; amount bigint; value bigint; ceiling bigint;
  conflict json; any_conflict boolean := false; changes text;
BEGIN
  CALL stead.take_turn_1();
  -- Plans are kept, and the first may be made while the tables are empty, when reading a table whole looks best. Everything
  -- here is found through an index.
  PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true);

  SELECT coalesce(l.revision, s.compacted), greatest(l.at, stead.now_millis()) INTO STRICT head, now_at
    FROM stead.state s LEFT JOIN (SELECT * FROM stead.log ORDER BY revision DESC LIMIT 1) l ON true;
  log_start := head;
  SELECT array_agg(c.revision ORDER BY s.n), array_agg(c.at ORDER BY s.n), array_agg(c.conflict ORDER BY s.n)
    INTO revisions, times, set_conflicts
    FROM unnest(set_ids) WITH ORDINALITY s(id, n) LEFT JOIN stead.change_sets c ON c.id = s.id;
  IF cardinality(ref_kinds) > 0 THEN
    SELECT array_agg(o.revision ORDER BY r.n), array_agg(o.generation ORDER BY r.n),
           array_agg(o.spec ORDER BY r.n), array_agg(o.rest ORDER BY r.n)
      INTO ref_revisions, ref_generations, ref_specs, ref_rests
      FROM unnest(ref_kinds, ref_ids) WITH ORDINALITY r(kind, id, n)
      LEFT JOIN stead.objects o ON o.kind = r.kind AND o.id = r.id;
  END IF;
  IF cardinality(key_names) > 0 THEN
    SELECT array_agg(k.holder ORDER BY r.n) INTO key_holders
      FROM unnest(key_names) WITH ORDINALITY r(key, n) LEFT JOIN stead.keys k ON k.key = r.key;
  END IF;
  IF cardinality(counter_names) > 0 THEN
    SELECT array_agg(coalesce(c.value, 0) ORDER BY r.n), array_agg(c.ceiling ORDER BY r.n)
      INTO counter_values, counter_limits
      FROM unnest(counter_names) WITH ORDINALITY r(counter, n) LEFT JOIN stead.counters c ON c.counter = r.counter;
  END IF;
  -- Unlocked, and still certain: fences only move in a turn, and this is ours.
  IF cardinality(lease_names) > 0 THEN
    SELECT array_agg(l.fence ORDER BY r.n) INTO fences
      FROM unnest(lease_names) WITH ORDINALITY r(name, n) LEFT JOIN stead.leases l ON l.name = r.name;
  END IF;

  FOR this_set IN 1 .. cardinality(set_ids) LOOP
    first_step := last_step + 1;
    last_step := set_ends[this_set];
    -- Known already: the answer to an earlier sending was lost.
    IF times[this_set] IS NOT NULL THEN
      IF set_conflicts[this_set] IS NOT NULL THEN any_conflict := true; END IF;
      CONTINUE;
    END IF;

    conflict := NULL;
    FOR step IN first_step .. last_step LOOP
      step_type := step_types[step];
      target := step_targets[step];
      IF step_type = 'p' THEN
        EXIT; -- Puts are last, and nothing can be wrong with them.
      ELSIF step_type = 'v' THEN
        IF ref_revisions[target] IS DISTINCT FROM step_numbers[step] THEN
          conflict := json_build_object('type', 'revision',
            'ref', json_build_object('kind', ref_kinds[target], 'id', ref_ids[target]),
            'expected', step_numbers[step], 'actual', ref_revisions[target]);
        END IF;
      ELSIF step_type = 'a' THEN
        IF ref_revisions[target] IS NOT NULL THEN
          conflict := json_build_object('type', 'absent',
            'ref', json_build_object('kind', ref_kinds[target], 'id', ref_ids[target]), 'actual', ref_revisions[target]);
        END IF;
      ELSIF step_type = 'f' THEN
        IF fences[target] IS DISTINCT FROM step_numbers[step] THEN
          conflict := json_build_object('type', 'fence', 'lease', lease_names[target],
            'expected', step_numbers[step], 'actual', fences[target]);
        END IF;
      ELSIF step_type = 'm' THEN
        amount := step_numbers[step];
        value := CASE WHEN moved_by[target] = this_set THEN moved_to[target] ELSE counter_values[target] END;
        -- Unlimited is as far as JavaScript's numbers can be trusted.
        ceiling := coalesce(CASE WHEN limited_by[target] = this_set THEN limited_to[target] ELSE counter_limits[target] END,
          9007199254740991);
        IF amount > 0 AND value + amount > ceiling THEN
          conflict := json_build_object('type', 'limit', 'counter', counter_names[target],
            'limit', ceiling, 'value', value, 'asked', amount);
        ELSIF value + amount < 0 THEN
          conflict := json_build_object('type', 'underflow', 'counter', counter_names[target],
            'value', value, 'asked', amount);
        ELSE
          moved_by[target] := this_set;
          moved_to[target] := value + amount;
        END IF;
      ELSIF step_type = 't' THEN
        IF key_holders[target] IS NOT NULL AND key_freed_by[target] <> this_set THEN
          conflict := json_build_object('type', 'key', 'key', key_names[target],
            'wanted', step_holders[step], 'heldBy', key_holders[target]);
        END IF;
      ELSIF step_type = 'd' OR step_type = 'b' THEN
        IF ref_revisions[target] IS NULL THEN
          conflict := json_build_object('type', 'missing',
            'ref', json_build_object('kind', ref_kinds[target], 'id', ref_ids[target]));
        END IF;
      ELSIF step_type = 'k' OR step_type = 'r' THEN
        IF key_holders[target] IS DISTINCT FROM step_holders[step] THEN
          conflict := json_build_object('type', 'key', 'key', key_names[target],
            'wanted', step_holders[step], 'heldBy', key_holders[target]);
        ELSIF step_type = 'r' THEN
          key_freed_by[target] := this_set;
        END IF;
      ELSE
        limited_by[target] := this_set;
        limited_to[target] := step_numbers[step];
      END IF;
      EXIT WHEN conflict IS NOT NULL;
    END LOOP;
    IF conflict IS NOT NULL THEN
      set_conflicts[this_set] := conflict::text;
      any_conflict := true;
      CONTINUE;
    END IF;

    changes := NULL;
    FOR step IN first_step .. last_step LOOP
      step_type := step_types[step];
      target := step_targets[step];
      IF step_type = 'p' THEN
        amount := step_numbers[step];
        IF changes IS NULL THEN head := head + 1; END IF;
        ref_generations[target] := CASE WHEN ref_revisions[target] IS NULL THEN 1
          WHEN ref_specs[target] = put_specs[amount] THEN ref_generations[target] ELSE ref_generations[target] + 1 END;
        ref_revisions[target] := head;
        ref_specs[target] := put_specs[amount];
        ref_rests[target] := put_rests[amount];
        ref_touched[target] := true;
        changes := concat(changes || ',', '{"op":"put",', ref_texts[target], ',"generation":', ref_generations[target],
          ',"revision":', head, ',"spec":', put_specs[amount], ',"rest":', put_rests[amount], '}');
      ELSIF step_type = 'm' THEN
        counter_values[target] := counter_values[target] + step_numbers[step];
        counter_touched[target] := true;
      ELSIF step_type = 't' THEN
        key_holders[target] := step_holders[step];
        key_touched[target] := true;
      ELSIF step_type = 'd' THEN
        IF changes IS NULL THEN head := head + 1; END IF;
        changes := concat(changes || ',', '{"op":"remove",', ref_texts[target], ',"generation":', ref_generations[target],
          ',"revision":', ref_revisions[target], ',"spec":', ref_specs[target], ',"rest":', ref_rests[target], '}');
        ref_revisions[target] := NULL;
        ref_removed_by[target] := this_set;
        ref_touched[target] := true;
      ELSIF step_type = 'r' THEN
        key_holders[target] := NULL;
        key_touched[target] := true;
      ELSIF step_type = 'l' THEN
        counter_limits[target] := step_numbers[step];
        counter_touched[target] := true;
      END IF;
    END LOOP;
    IF changes IS NOT NULL THEN log_changes := log_changes || ('[' || changes || ']'); END IF;
    revisions[this_set] := head;
    times[this_set] := now_at;
    set_applied[this_set] := true;
  END LOOP;

  INSERT INTO stead.change_sets (id, revision, at, conflict)
    SELECT s.id, coalesce(s.revision, head), now_at, s.conflict
    FROM unnest(set_ids, set_applied, set_resent, times, revisions, set_conflicts)
      s(id, applied, resent, at, revision, conflict)
    WHERE s.applied OR s.resent AND s.at IS NULL;
  IF log_changes IS NOT NULL THEN
    INSERT INTO stead.log (revision, at, changes)
      SELECT log_start + l.n, now_at, l.changes FROM unnest(log_changes) WITH ORDINALITY l(changes, n);
    INSERT INTO stead.objects (kind, id, revision, generation, spec, rest)
      SELECT r.kind, r.id, r.revision, r.generation, r.spec, r.rest
      FROM unnest(ref_kinds, ref_ids, ref_touched, ref_revisions, ref_generations, ref_specs, ref_rests)
        r(kind, id, touched, revision, generation, spec, rest)
      WHERE r.touched AND r.revision IS NOT NULL
      ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision, generation = excluded.generation,
        spec = excluded.spec, rest = excluded.rest;
    DELETE FROM stead.objects o USING unnest(ref_kinds, ref_ids, ref_touched, ref_revisions) r(kind, id, touched, revision)
      WHERE r.touched AND r.revision IS NULL AND o.kind = r.kind AND o.id = r.id;
    DELETE FROM stead.blobs b USING unnest(ref_kinds, ref_ids, ref_removed_by) r(kind, id, removed_by)
      WHERE r.removed_by > 0 AND b.kind = r.kind AND b.id = r.id;
  END IF;
  IF cardinality(key_names) > 0 THEN
    INSERT INTO stead.keys (key, holder)
      SELECT r.key, r.holder FROM unnest(key_names, key_touched, key_holders) r(key, touched, holder)
      WHERE r.touched AND r.holder IS NOT NULL
      ON CONFLICT (key) DO UPDATE SET holder = excluded.holder;
    DELETE FROM stead.keys k USING unnest(key_names, key_touched, key_holders) r(key, touched, holder)
      WHERE r.touched AND r.holder IS NULL AND k.key = r.key;
  END IF;
  IF cardinality(counter_names) > 0 THEN
    INSERT INTO stead.counters (counter, value, ceiling)
      SELECT r.counter, r.value, r.ceiling
      FROM unnest(counter_names, counter_touched, counter_values, counter_limits) r(counter, touched, value, ceiling)
      WHERE r.touched
      ON CONFLICT (counter) DO UPDATE SET value = excluded.value, ceiling = excluded.ceiling;
  END IF;
  IF cardinality(record_sets) > 0 THEN
    INSERT INTO stead.records (record_table, sequence, at, scope, subject, body)
      SELECT r.record_table, nextval('stead.record_sequence'), now_at, r.scope, r.subject, r.body
      FROM (
        SELECT * FROM unnest(record_sets, record_tables, record_scopes, record_subjects, record_bodies)
          WITH ORDINALITY r(set_number, record_table, scope, subject, body, n)
        WHERE set_applied[set_number] ORDER BY n
      ) r;
  END IF;
  IF cardinality(drop_sets) > 0 THEN
    DELETE FROM stead.blobs b USING unnest(drop_sets, drop_refs, drop_hashes) d(set_number, ref, hash)
      WHERE set_applied[d.set_number] AND b.kind = ref_kinds[d.ref] AND b.id = ref_ids[d.ref] AND b.hash = d.hash;
  END IF;
  IF cardinality(blob_sets) > 0 THEN
    -- Those that no later set of the batch removed again. Of two with one name the first stays.
    INSERT INTO stead.blobs (kind, id, hash, sealed)
      SELECT ref_kinds[b.ref], ref_ids[b.ref], b.hash, b.content
      FROM unnest(blob_sets, blob_refs, blob_hashes, blob_contents) WITH ORDINALITY b(set_number, ref, hash, content, n)
      WHERE set_applied[b.set_number] AND ref_removed_by[b.ref] <= b.set_number AND NOT EXISTS (
        SELECT FROM unnest(drop_sets, drop_refs, drop_hashes) d(set_number, ref, hash)
        WHERE set_applied[d.set_number] AND d.set_number > b.set_number AND d.ref = b.ref AND d.hash = b.hash)
      ORDER BY b.n
      ON CONFLICT DO NOTHING;
  END IF;
  IF any_conflict THEN conflicts := array_to_json(set_conflicts)::text; END IF;
  COMMIT;
END $$;
