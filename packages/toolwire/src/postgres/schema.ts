// The tables that replicas share. Everything is in the schema `toolwire`, and each name begins with `shared_`.

const lockNumber = 4_717_031_521 // one for all who create tables here

/**
 * Creates what is not there yet, in one statement: it needs no session, so any pooler may stand between. Replicas that start
 * together wait for each other.
 */
export const postgresSchema = `
DO $toolwire$
BEGIN
  PERFORM pg_advisory_xact_lock(${lockNumber});
  IF to_regnamespace('toolwire') IS NULL THEN
    CREATE SCHEMA toolwire;
  END IF;
  -- A crash of the database may forget counts: it costs one burst, and each call costs no WAL.
  CREATE UNLOGGED TABLE IF NOT EXISTS toolwire.shared_limits (
    key bytea PRIMARY KEY,
    whole_at bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE IF NOT EXISTS toolwire.shared_tickets (
    ticket bytea PRIMARY KEY,
    keep_until timestamptz NOT NULL
  );
  CREATE TABLE IF NOT EXISTS toolwire.shared_sessions (
    id text PRIMARY KEY,
    ended boolean NOT NULL DEFAULT false,
    log_level text,
    watched text[] NOT NULL DEFAULT '{}',
    version bigint NOT NULL DEFAULT 1,
    keep_until timestamptz NOT NULL
  );
  CREATE TABLE IF NOT EXISTS toolwire.shared_tasks (
    id text PRIMARY KEY,
    owner bytea NOT NULL,
    token bigint NOT NULL DEFAULT 1,
    leased_until timestamptz NOT NULL,
    over boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    keep_until timestamptz NOT NULL,
    record text NOT NULL,
    change text NOT NULL DEFAULT '{}'
  );
  CREATE INDEX IF NOT EXISTS shared_tasks_of_owner ON toolwire.shared_tasks (owner, created_at);
  CREATE TABLE IF NOT EXISTS toolwire.shared_task_answers (
    task text NOT NULL REFERENCES toolwire.shared_tasks ON DELETE CASCADE,
    key text NOT NULL,
    answer text NOT NULL,
    PRIMARY KEY (task, key)
  );
  -- After a crash of the database, clients begin new streams.
  CREATE UNLOGGED TABLE IF NOT EXISTS toolwire.shared_events (
    session text NOT NULL,
    stream text NOT NULL,
    seq bigint NOT NULL,
    data text NOT NULL,
    ended boolean NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (session, stream, seq)
  );
  CREATE TABLE IF NOT EXISTS toolwire.shared_approvals (
    id text PRIMARY KEY,
    call_digest text NOT NULL,
    digest text NOT NULL,
    caller bytea NOT NULL,
    asked text NOT NULL,
    held boolean NOT NULL,
    open boolean NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    answer text,
    version bigint NOT NULL DEFAULT 1,
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    until timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS shared_approvals_open ON toolwire.shared_approvals (call_digest) WHERE open;
  CREATE INDEX IF NOT EXISTS shared_approvals_pending ON toolwire.shared_approvals (caller, added_at) WHERE state = 'pending';
  CREATE TABLE IF NOT EXISTS toolwire.shared_grants (
    id text PRIMARY KEY,
    details text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    until timestamptz NOT NULL
  );
  CREATE TABLE IF NOT EXISTS toolwire.shared_pins (
    tool bytea PRIMARY KEY,
    pin text NOT NULL,
    pinned_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE IF NOT EXISTS toolwire.shared_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin text NOT NULL,
    change text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX IF NOT EXISTS shared_changes_at ON toolwire.shared_changes (at);
END
$toolwire$
`
