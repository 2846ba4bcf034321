/**
 * Appends events in one statement, and tells whoever listens. The row of the log is the lock, and knows the last appends and
 * the highest token of a lease: a repeated append, and one with a lower token, change nothing and return nothing.
 */
export const APPEND_EVENTS = `
WITH log AS (
  INSERT INTO claudewire_event_logs AS l
    (key_hash, tenant_hash, tenant, conversation, last_id, bytes, appends, updated_at, token)
  VALUES ($1, $2, $3, $4, $5::integer, $6, ARRAY[$7::uuid], clock_timestamp(), coalesce($10::bigint, 0))
  ON CONFLICT (key_hash) DO UPDATE SET last_id = l.last_id + $5::integer, bytes = l.bytes + $6,
    appends = ($7::uuid || l.appends)[1:32], updated_at = clock_timestamp(), token = greatest(l.token, $10::bigint)
  WHERE NOT $7::uuid = ANY (l.appends) AND ($10::bigint IS NULL OR l.token <= $10::bigint)
  RETURNING id, first_id, last_id, bytes, floor(extract(epoch FROM updated_at) * 1000)::bigint AS at
), added AS (
  INSERT INTO claudewire_events (log, id, at, append, bytes, body)
  SELECT log.id, log.last_id - $5::integer + place, log.at, $7, octet_length(body), body
  FROM log, string_to_table($8, E'\\n') WITH ORDINALITY AS events (body, place)
)
SELECT id, first_id, last_id, bytes, at, pg_notify('claudewire_events', $9) FROM log`;

/** What a repeated append has stored, and whether it has. */
export const FIND_APPEND = `
SELECT min(e.id) AS first, min(e.at) AS at, coalesce(bool_or($2 = ANY (l.appends)), false) AS is_known
FROM claudewire_event_logs l LEFT JOIN claudewire_events e ON e.log = l.id AND e.append = $2
WHERE l.key_hash = $1`;

/** Remembers the token of a lease. Returns nothing where a higher one was seen. */
export const RAISE_TOKEN = `
INSERT INTO claudewire_event_logs AS l
  (key_hash, tenant_hash, tenant, conversation, last_id, bytes, appends, updated_at, token)
VALUES ($1, $2, $3, $4, 0, 0, '{}', clock_timestamp(), $5)
ON CONFLICT (key_hash) DO UPDATE SET token = excluded.token WHERE l.token <= excluded.token
RETURNING 1`;

/** Drops the oldest above so many events or bytes, and never the newest. */
export const TRIM_EVENTS = `
WITH log AS (
  SELECT id, last_id FROM claudewire_event_logs WHERE id = $1 FOR UPDATE
), kept AS (
  SELECT min(id) AS first FROM (
    SELECT e.id, sum(e.bytes) OVER (ORDER BY e.id DESC) AS bytes, log.last_id
    FROM claudewire_events e JOIN log ON log.id = e.log
  ) AS each WHERE id = last_id OR (bytes <= $3 AND id > last_id - $2::bigint)
), gone AS (
  DELETE FROM claudewire_events WHERE log = $1 AND id < (SELECT first FROM kept) RETURNING bytes
)
UPDATE claudewire_event_logs SET first_id = (SELECT first FROM kept),
  bytes = bytes - (SELECT coalesce(sum(bytes), 0) FROM gone)
WHERE id = $1 AND (SELECT first FROM kept) IS NOT NULL`;

/** The ends of the log, with events after an id: at most so many, and about so many bytes. */
export const READ_EVENTS = `
SELECT l.first_id, l.last_id, e.id, e.at, e.body
FROM claudewire_event_logs l LEFT JOIN LATERAL (
  SELECT * FROM (
    SELECT id, at, body, sum(bytes) OVER (ORDER BY id) - bytes AS before
    FROM (SELECT * FROM claudewire_events WHERE log = l.id AND id > $2 ORDER BY id LIMIT $3) AS page
  ) AS counted WHERE before < $4
) AS e ON true
WHERE l.key_hash = $1
ORDER BY e.id`;

export const DELETE_OLD_LOGS = `
DELETE FROM claudewire_event_logs WHERE id IN (
  SELECT id FROM claudewire_event_logs WHERE tenant_hash = $1 AND updated_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED)
RETURNING id`;
