/** Parameters 1 to 8: kinds, ids, revisions, specs, rests, changes, change-set ids, and the time. */
const objectRows = `
  objects AS (
    INSERT INTO stead.objects (kind, id, revision, generation, spec, rest)
      SELECT kind, id, revision, 1, spec, rest
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[]) o(kind, id, revision, spec, rest)
      ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision, rest = excluded.rest
  ), log AS (
    INSERT INTO stead.log (revision, at, changes)
      SELECT revision, $8::bigint, changes FROM unnest($3::bigint[], $6::text[]) l(revision, changes)
  )`

const outcomeRows = `
  INSERT INTO stead.change_sets (id, revision, at)
    SELECT id, revision, $8::bigint FROM unnest($7::text[], $3::bigint[]) c(id, revision)`

export const putSql = `WITH ${objectRows} ${outcomeRows}`

/**
 * Parameters 9 to 15: name keys, counters, by how much each moves, and tables, scopes, subjects and bodies of events.
 * Counters in order, so that two who write at once never wait for each other in a circle.
 */
export const createSql = `WITH ${objectRows}, keys AS (
    INSERT INTO stead.keys (key, holder) SELECT key, holder FROM unnest($9::text[], $2::text[]) k(key, holder)
  ), counters AS (
    INSERT INTO stead.counters AS c (counter, value)
      SELECT counter, sum(by) FROM unnest($10::text[], $11::bigint[]) m(counter, by) GROUP BY counter ORDER BY counter
      ON CONFLICT (counter) DO UPDATE SET value = c.value + excluded.value
  ), records AS (
    INSERT INTO stead.records (record_table, sequence, at, scope, subject, body)
      SELECT record_table, nextval('stead.record_sequence'), $8::bigint, scope, subject, body
      FROM unnest($12::text[], $13::text[], $14::text[], $15::text[]) r(record_table, scope, subject, body)
  ) ${outcomeRows}`
