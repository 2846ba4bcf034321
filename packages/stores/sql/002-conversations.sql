-- Lists of conversations by pages, and what the conversations of a tenant take. migrate() runs this file after
-- 001-stores.sql, or you do, in the same way.

SELECT pg_advisory_xact_lock(1668048247);

-- What hosts have stored for it.
ALTER TABLE claudewire_conversations ADD COLUMN IF NOT EXISTS bytes bigint NOT NULL DEFAULT 0;

-- Both columns in one direction, so that a page begins with one look into the index.
DROP INDEX IF EXISTS claudewire_conversations_newest;
CREATE INDEX claudewire_conversations_newest
  ON claudewire_conversations (tenant_hash, updated_at DESC, id DESC) INCLUDE (bytes);

INSERT INTO claudewire_migrations (version) VALUES (2) ON CONFLICT DO NOTHING;
