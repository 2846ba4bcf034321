-- Prompts that conversations send themselves at a set time. Names are as in 001-stores.sql.

SELECT pg_advisory_xact_lock(1668048247);

CREATE TABLE IF NOT EXISTS claudewire_wake_ups (
  -- Of tenant and conversation.
  key_hash bytea PRIMARY KEY,
  tenant text NOT NULL,
  conversation uuid NOT NULL,
  -- Epoch milliseconds: from then on a host has to look at them.
  first_at double precision NOT NULL,
  -- JSON.
  body text NOT NULL
);

CREATE INDEX IF NOT EXISTS claudewire_wake_ups_first ON claudewire_wake_ups (first_at, key_hash);

INSERT INTO claudewire_migrations (version) VALUES (2) ON CONFLICT DO NOTHING;
