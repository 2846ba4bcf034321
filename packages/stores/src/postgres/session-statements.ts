/** Makes the transcript if it is new, and locks it for this transaction: writers come one after another. */
export const LOCK_TRANSCRIPT = `
INSERT INTO claudewire_transcripts AS t
  (key_hash, session_hash, project_hash, tenant_hash, tenant, project, session, subpath)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (key_hash) DO UPDATE SET key_hash = t.key_hash
RETURNING id, entries, last_seq, summary`;

/** The lines that are not stored yet, in their order. Texts have no line break: they are JSON. */
export const ADD_ENTRIES = `
INSERT INTO claudewire_entries (transcript, seq, entry_id, body)
SELECT $1, $2::bigint + ids.place, ids.entry_id, bodies.body
FROM string_to_table($3, E'\\n') WITH ORDINALITY AS ids (entry_id, place)
JOIN string_to_table($4, E'\\n') WITH ORDINALITY AS bodies (body, place) USING (place)
ON CONFLICT (transcript, entry_id) DO NOTHING
RETURNING seq`;

/** A time never goes back, also when the server's clock does. */
export const TOUCH = `
UPDATE claudewire_transcripts
SET entries = entries + $2, last_seq = last_seq + $3, summary = coalesce($4, summary),
  updated_at = greatest(updated_at, clock_timestamp())
WHERE id = $1`;

export const LOAD = `
SELECT t.entries, e.seq, octet_length(e.body) AS bytes, CASE WHEN octet_length(e.body) <= $2 THEN e.body END AS body
FROM claudewire_transcripts t LEFT JOIN claudewire_entries e ON e.transcript = t.id
WHERE t.key_hash = $1
ORDER BY e.seq`;

/** A page of the sessions of a project, after an id. */
export const LIST = `
SELECT id, session, floor(extract(epoch FROM updated_at) * 1000)::bigint AS mtime, summary
FROM claudewire_transcripts
WHERE project_hash = $1 AND subpath IS NULL AND id > $2
ORDER BY id LIMIT $3`;

/** The transcripts of a batch of sessions, of which none was appended to since a time. */
export const DELETE_OLD = `
WITH old AS (
  SELECT session_hash FROM claudewire_transcripts AS old
  WHERE tenant_hash = $1 AND updated_at < $2 AND NOT EXISTS (
    SELECT 1 FROM claudewire_transcripts AS young
    WHERE young.session_hash = old.session_hash AND young.updated_at >= $2)
  GROUP BY session_hash LIMIT $3
), locked AS (
  SELECT id, session_hash, updated_at FROM claudewire_transcripts
  WHERE session_hash IN (SELECT session_hash FROM old) FOR UPDATE
), gone AS (
  DELETE FROM claudewire_transcripts WHERE id IN (
    SELECT id FROM locked WHERE session_hash NOT IN (SELECT session_hash FROM locked WHERE updated_at >= $2))
  RETURNING session_hash
)
SELECT count(DISTINCT session_hash)::integer AS sessions FROM gone`;
