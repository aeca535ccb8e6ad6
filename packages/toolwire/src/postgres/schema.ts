// The tables that replicas share, in the schema `toolwire`. Each name begins with `shared_`.

const lockNumber = 4_717_031_521 // one lock for all replicas that create these tables

/** Grows with each change of the tables and functions below. */
const version = 6
/** Locks with two numbers are separate from locks with one. */
const turnsLock = 471_703

/**
 * Creates everything that is missing, in one statement. The statement needs no session, so it works behind any pooler. Replicas that
 * start together wait for each other.
 */
export const postgresSchema = `
DO $toolwire$
BEGIN
  -- A role that may not create anything finds that there is nothing to do. A later version has more, and takes nothing away.
  IF obj_description(to_regprocedure('toolwire.shared_enter(json, text)'), 'pg_proc')::int >= ${version} THEN
    RETURN;
  END IF;
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
  -- There is one for each answered question of the last day.
  CREATE INDEX IF NOT EXISTS shared_tickets_expiry ON toolwire.shared_tickets (keep_until);
  CREATE TABLE IF NOT EXISTS toolwire.shared_sessions (
    id text PRIMARY KEY,
    ended boolean NOT NULL DEFAULT false,
    log_level text,
    watched text[] NOT NULL DEFAULT '{}',
    version bigint NOT NULL DEFAULT 1,
    keep_until timestamptz NOT NULL
  );
  CREATE INDEX IF NOT EXISTS shared_sessions_expiry ON toolwire.shared_sessions (keep_until);
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
  CREATE INDEX IF NOT EXISTS shared_tasks_expiry ON toolwire.shared_tasks (keep_until);
  CREATE INDEX IF NOT EXISTS shared_tasks_over ON toolwire.shared_tasks (created_at) WHERE over;
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
  -- The column is newer than the table. Events of replicas of an earlier version count as those of one caller.
  ALTER TABLE toolwire.shared_events ADD COLUMN IF NOT EXISTS caller bytea NOT NULL DEFAULT '';
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
  CREATE INDEX IF NOT EXISTS shared_approvals_expiry ON toolwire.shared_approvals (until);
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
  -- After a crash of the database nothing is counted until it begins anew.
  CREATE UNLOGGED TABLE IF NOT EXISTS toolwire.shared_turns (
    key text NOT NULL,
    turn text NOT NULL,
    until timestamptz NOT NULL
  );
  CREATE INDEX IF NOT EXISTS shared_turns_of_key ON toolwire.shared_turns USING hash (key);
  CREATE INDEX IF NOT EXISTS shared_turns_of_turn ON toolwire.shared_turns (turn);
  -- A crash of the database must not forget them. Each process that holds a label has a row of its own.
  CREATE TABLE IF NOT EXISTS toolwire.shared_labels (
    holder text PRIMARY KEY,
    caller bytea NOT NULL,
    label text NOT NULL,
    until timestamptz NOT NULL,
    version bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS shared_labels_of_caller ON toolwire.shared_labels (caller);
  CREATE INDEX IF NOT EXISTS shared_labels_expiry ON toolwire.shared_labels (until);
  -- From each allowance so many of the calls that ask for it: one grows back every so many microseconds, and after its room it is
  -- whole. What is used up is only read. A moment too far ahead is from before the clock was set back, or the limit was made
  -- smaller: it counts as none left. When another replica has taken from it meanwhile, it is read again.
  CREATE OR REPLACE FUNCTION toolwire.shared_take(keys text[], eaches bigint[], rooms bigint[], calls bigint[])
  RETURNS TABLE (granted bigint, wait bigint) LANGUAGE plpgsql AS $take$
  DECLARE
    digest bytea;
    kept bigint;
    base bigint;
    now bigint;
  BEGIN
    FOR i IN 1 .. cardinality(keys) LOOP
      digest := sha256(convert_to(keys[i], 'UTF8'));
      LOOP
        now := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
        SELECT whole_at INTO kept FROM toolwire.shared_limits WHERE key = digest;
        base := greatest(least(coalesce(kept, now), now + rooms[i]), now);
        granted := least((now + rooms[i] - base) / eaches[i], calls[i]);
        wait := base + (granted + 1) * eaches[i] - now - rooms[i];
        EXIT WHEN granted = 0;
        IF kept IS NULL THEN
          INSERT INTO toolwire.shared_limits (key, whole_at) VALUES (digest, base + granted * eaches[i]) ON CONFLICT DO NOTHING;
        ELSE
          UPDATE toolwire.shared_limits SET whole_at = base + granted * eaches[i] WHERE key = digest AND whole_at = kept;
        END IF;
        EXIT WHEN FOUND;
      END LOOP;
      RETURN NEXT;
    END LOOP;
  END
  $take$;
  -- Always locked in the same order, so nobody waits for one another.
  CREATE OR REPLACE FUNCTION toolwire.shared_enter(places json, mine text) RETURNS boolean LANGUAGE plpgsql AS $enter$
  BEGIN
    PERFORM pg_advisory_xact_lock(${turnsLock}, number) FROM (
      SELECT DISTINCT hashtext(key) AS number FROM json_to_recordset(places) AS place(key text) ORDER BY number
    ) AS numbers;
    IF EXISTS (
      SELECT FROM json_to_recordset(places) AS place(key text, most bigint) WHERE most <= (
        SELECT count(*) FROM toolwire.shared_turns AS taken WHERE taken.key = place.key AND until > clock_timestamp()
      )
    ) THEN
      RETURN false;
    END IF;
    INSERT INTO toolwire.shared_turns (key, turn, until)
    SELECT key, mine, clock_timestamp() + interval '10 seconds' FROM json_to_recordset(places) AS place(key text);
    RETURN true;
  END
  $enter$;
  COMMENT ON FUNCTION toolwire.shared_enter(json, text) IS '${version}';
END
$toolwire$
`
