/** Tables partitioned by day, so that old days can be dropped whole. */
export const dailyTables = ['audit', 'calls', 'call_ends'] as const

/** Tables of the log in the schema `toolwire`. Names are untrusted and may be long, so an index has only their beginning. */
export const auditTables: readonly string[] = [
  // The position of each record among those of all streams.
  'CREATE SEQUENCE toolwire.audit_position AS bigint',
  // The end of each stream. The statement that appends records changes this row, so the row decides every race.
  `CREATE TABLE toolwire.audit_streams (
    stream uuid PRIMARY KEY, sequence bigint NOT NULL, hash bytea NOT NULL, seal bytea NOT NULL,
    day date NOT NULL, at timestamptz NOT NULL
  ) WITH (fillfactor = 50)`,
  // The log itself: exactly the text that was hashed. All other data about calls can be derived from it.
  `CREATE TABLE toolwire.audit (
    day date NOT NULL, stream uuid NOT NULL, sequence bigint NOT NULL, position bigint NOT NULL, hash bytea NOT NULL, text text NOT NULL,
    PRIMARY KEY (stream, sequence, day)
  ) PARTITION BY RANGE (day)`,
  // The index for searches: a row for each intent and each outcome. An update would write each index again, so there is none.
  `CREATE TABLE toolwire.calls (
    day date NOT NULL, position bigint NOT NULL, stream uuid NOT NULL, sequence bigint NOT NULL, call text NOT NULL, at bigint NOT NULL,
    caller text NOT NULL, server text, tool text NOT NULL, continued boolean,
    PRIMARY KEY (position, day)
  ) PARTITION BY RANGE (day)`,
  'CREATE INDEX calls_call ON toolwire.calls (call)',
  'CREATE INDEX calls_at ON toolwire.calls (at)',
  'CREATE INDEX calls_caller ON toolwire.calls (left(caller, 200), position)',
  'CREATE INDEX calls_server ON toolwire.calls (left(server, 200), position)',
  'CREATE INDEX calls_tool ON toolwire.calls (left(tool, 200), position)',
  `CREATE TABLE toolwire.call_ends (
    day date NOT NULL, position bigint NOT NULL, begun bigint, stream uuid NOT NULL, sequence bigint NOT NULL,
    duration float8, decision text NOT NULL, outcome text NOT NULL, reason text, ground text,
    PRIMARY KEY (position, day)
  ) PARTITION BY RANGE (day)`,
  'CREATE INDEX call_ends_begun ON toolwire.call_ends (begun)',
  // A partial index, because most calls succeed.
  `CREATE INDEX call_ends_outcome ON toolwire.call_ends (outcome, begun) WHERE outcome <> 'ok'`,
  // Signed checkpoints, each with the heads that have changed since the one before.
  `CREATE TABLE toolwire.audit_checkpoints (
    number bigint PRIMARY KEY, hash bytea NOT NULL, text text NOT NULL, signature text NOT NULL,
    begins boolean NOT NULL DEFAULT false, at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  'CREATE INDEX audit_checkpoints_begins ON toolwire.audit_checkpoints (number) WHERE begins',
  // The head of each stream in the checkpoints, so that changes are found without reading all checkpoints.
  'CREATE TABLE toolwire.audit_heads (stream uuid PRIMARY KEY, sequence bigint NOT NULL, hash bytea NOT NULL) WITH (fillfactor = 50)',
]

/** The current day by the clock of the database, in UTC. */
export const today = `(clock_timestamp() AT TIME ZONE 'UTC')::date`
