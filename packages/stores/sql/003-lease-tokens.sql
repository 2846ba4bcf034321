-- The highest token of a lease that was seen of a conversation: a host with a lower one writes nothing any more.

SELECT pg_advisory_xact_lock(1668048247);

ALTER TABLE claudewire_event_logs ADD COLUMN IF NOT EXISTS token bigint NOT NULL DEFAULT 0;

ALTER TABLE claudewire_wake_ups ADD COLUMN IF NOT EXISTS token bigint NOT NULL DEFAULT 0;

-- NULL: there are none, and the row is kept for its token.
ALTER TABLE claudewire_wake_ups ALTER COLUMN first_at DROP NOT NULL;

INSERT INTO claudewire_migrations (version) VALUES (3) ON CONFLICT DO NOTHING;
