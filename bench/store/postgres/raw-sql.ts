/**
 * Revisions are drawn from one row, which stays locked until the commit: the log has no holes and is in commit order,
 * as ours is. Whoever reads it needs that.
 */
export const headRowSql = `INSERT INTO stead.meta (key, value) VALUES ('raw_head', '0') ON CONFLICT DO NOTHING`

/** Parameters 1 to 6: kinds, ids, specs, rests, change-set ids, and the time. */
const objectRows = `
  head AS (
    UPDATE stead.meta SET value = (value::bigint + cardinality($1::text[]))::text WHERE key = 'raw_head'
      RETURNING value::bigint - cardinality($1::text[]) AS before
  ), given AS (
    SELECT g.*, head.before + g.n AS revision
    FROM head, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
      WITH ORDINALITY g(kind, id, spec, rest, set_id, n)
  ), objects AS (
    INSERT INTO stead.objects (kind, id, revision, generation, spec, rest)
      SELECT kind, id, revision, 1, spec, rest FROM given
      ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision, rest = excluded.rest
  ), log AS (
    INSERT INTO stead.log (revision, at, changes)
      SELECT revision, $6::bigint, '[{"op":"put","kind":"' || kind || '","id":"' || id || '","generation":1,"revision":'
        || revision || ',"spec":' || spec || ',"rest":' || rest || '}]'
      FROM given
  )`

const outcomeRows = `
  INSERT INTO stead.change_sets (id, revision, at) SELECT set_id, revision, $6::bigint FROM given`

export const putSql = `WITH ${objectRows} ${outcomeRows}`

/** Parameters 7 to 13: name keys, counters, by how much each moves, and tables, scopes, subjects and bodies of events. */
export const createSql = `WITH ${objectRows}, keys AS (
    INSERT INTO stead.keys (key, holder) SELECT key, holder FROM unnest($7::text[], $2::text[]) k(key, holder)
  ), counters AS (
    INSERT INTO stead.counters AS c (counter, value)
      SELECT counter, sum(by) FROM unnest($8::text[], $9::bigint[]) m(counter, by) GROUP BY counter ORDER BY counter
      ON CONFLICT (counter) DO UPDATE SET value = c.value + excluded.value
  ), records AS (
    INSERT INTO stead.records (record_table, sequence, at, scope, subject, body)
      SELECT record_table, nextval('stead.record_sequence'), $6::bigint, scope, subject, body
      FROM unnest($10::text[], $11::text[], $12::text[], $13::text[]) r(record_table, scope, subject, body)
  ) ${outcomeRows}`
