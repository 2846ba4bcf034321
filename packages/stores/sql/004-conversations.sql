-- Lists of conversations by pages, and what the conversations of a tenant take. migrate() runs this file after
-- those before it, or you do, in the same way.

SELECT pg_advisory_xact_lock(1668048247);

-- What hosts have stored for it.
ALTER TABLE claudewire_conversations ADD COLUMN IF NOT EXISTS bytes bigint NOT NULL DEFAULT 0;

-- Both columns in one direction, so that a page begins with one look into the index.
DROP INDEX IF EXISTS claudewire_conversations_newest;
CREATE INDEX claudewire_conversations_newest
  ON claudewire_conversations (tenant_hash, updated_at DESC, id DESC);

-- Counted as they change, since to count 100,000 of them takes as long as a turn may wait.
CREATE TABLE IF NOT EXISTS claudewire_tenants (
  tenant_hash bytea PRIMARY KEY,
  conversations bigint NOT NULL,
  bytes bigint NOT NULL
);

CREATE OR REPLACE FUNCTION claudewire_count_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tenant bytea := CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_hash ELSE NEW.tenant_hash END;
  more bigint := CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END;
  more_bytes bigint := CASE TG_OP WHEN 'INSERT' THEN NEW.bytes WHEN 'DELETE' THEN -OLD.bytes ELSE NEW.bytes - OLD.bytes END;
BEGIN
  INSERT INTO claudewire_tenants AS t (tenant_hash, conversations, bytes) VALUES (tenant, more, more_bytes)
  ON CONFLICT (tenant_hash) DO UPDATE SET conversations = t.conversations + more, bytes = t.bytes + more_bytes;
  RETURN NULL;
END
$$;

-- Takes the lock of the table, so that none is missed between the count and the trigger.
CREATE OR REPLACE TRIGGER claudewire_count AFTER INSERT OR DELETE ON claudewire_conversations
  FOR EACH ROW EXECUTE FUNCTION claudewire_count_conversation();
CREATE OR REPLACE TRIGGER claudewire_count_bytes AFTER UPDATE OF bytes ON claudewire_conversations
  FOR EACH ROW WHEN (OLD.bytes <> NEW.bytes) EXECUTE FUNCTION claudewire_count_conversation();

INSERT INTO claudewire_tenants (tenant_hash, conversations, bytes)
  SELECT tenant_hash, count(*), sum(bytes) FROM claudewire_conversations GROUP BY tenant_hash
  ON CONFLICT (tenant_hash) DO NOTHING;

INSERT INTO claudewire_migrations (version) VALUES (4) ON CONFLICT DO NOTHING;
