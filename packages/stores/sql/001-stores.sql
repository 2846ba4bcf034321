-- Tables of claudewire-stores. migrate() runs this file, or you do:
--
--   psql --single-transaction --set ON_ERROR_STOP=1 --file 001-stores.sql
--
-- Names come from users, so keys are SHA-256 digests of them. The names themselves are JSON strings without their
-- quotes: PostgreSQL's text has neither NUL nor half surrogate pairs. Transcripts are JSON as text, not jsonb, so that
-- what is loaded is what was appended.

SELECT pg_advisory_xact_lock(1668048247);

CREATE TABLE IF NOT EXISTS claudewire_migrations (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS claudewire_transcripts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Of tenant, project, session and subpath; of the first three; of two; of the tenant.
  key_hash bytea NOT NULL UNIQUE,
  session_hash bytea NOT NULL,
  project_hash bytea NOT NULL,
  tenant_hash bytea NOT NULL,
  tenant text NOT NULL,
  project text NOT NULL,
  session text NOT NULL,
  -- NULL: the main transcript of a session.
  subpath text,
  entries bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  -- JSON. What a listing shows of a session.
  summary text,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX IF NOT EXISTS claudewire_transcripts_session ON claudewire_transcripts (session_hash);
CREATE INDEX IF NOT EXISTS claudewire_transcripts_project ON claudewire_transcripts (project_hash, id)
  WHERE subpath IS NULL;
CREATE INDEX IF NOT EXISTS claudewire_transcripts_age ON claudewire_transcripts (tenant_hash, updated_at);

CREATE TABLE IF NOT EXISTS claudewire_entries (
  transcript bigint NOT NULL REFERENCES claudewire_transcripts ON DELETE CASCADE,
  -- Gives the order. May have gaps.
  seq bigint NOT NULL,
  -- The same for the same entry.
  entry_id text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (transcript, seq),
  UNIQUE (transcript, entry_id)
);

CREATE TABLE IF NOT EXISTS claudewire_event_logs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Of tenant and conversation; of the tenant.
  key_hash bytea NOT NULL UNIQUE,
  tenant_hash bytea NOT NULL,
  tenant text NOT NULL,
  conversation uuid NOT NULL,
  first_id bigint NOT NULL DEFAULT 1,
  last_id bigint NOT NULL,
  bytes bigint NOT NULL,
  -- Of the last appends, so that a repeated one is recognised.
  appends uuid[] NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS claudewire_event_logs_age ON claudewire_event_logs (tenant_hash, updated_at);

CREATE TABLE IF NOT EXISTS claudewire_events (
  log bigint NOT NULL REFERENCES claudewire_event_logs ON DELETE CASCADE,
  id bigint NOT NULL,
  -- Epoch milliseconds.
  at bigint NOT NULL,
  append uuid NOT NULL,
  bytes integer NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (log, id)
);

CREATE TABLE IF NOT EXISTS claudewire_conversations (
  key_hash bytea PRIMARY KEY,
  tenant_hash bytea NOT NULL,
  tenant text NOT NULL,
  id uuid NOT NULL,
  -- Epoch milliseconds of the host that wrote them.
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  title text,
  session_id text,
  creator uuid NOT NULL,
  lease bigint NOT NULL DEFAULT 0,
  -- By the clock of this server.
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  holder uuid
);

CREATE INDEX IF NOT EXISTS claudewire_conversations_newest
  ON claudewire_conversations (tenant_hash, updated_at DESC, id);

CREATE TABLE IF NOT EXISTS claudewire_approvals (
  -- Of tenant and conversation.
  key_hash bytea NOT NULL,
  approval_id uuid NOT NULL,
  tenant text NOT NULL,
  conversation uuid NOT NULL,
  body text NOT NULL,
  -- The call that wrote it, so that a repeated one is recognised.
  writer uuid NOT NULL,
  PRIMARY KEY (key_hash, approval_id)
);

INSERT INTO claudewire_migrations (version) VALUES (1) ON CONFLICT DO NOTHING;
