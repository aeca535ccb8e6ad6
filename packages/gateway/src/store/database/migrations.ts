import { type DatabaseConnection, inTransaction, preparer } from './connection.js'

/** Each entry migrates a file from the version before it. A released entry is never edited. */
const migrations: readonly (readonly string[])[] = [
  [
    // The log itself: exactly the text that was hashed. All other data about calls can be derived from it.
    'CREATE TABLE audit (sequence INTEGER PRIMARY KEY, hash TEXT NOT NULL, text TEXT NOT NULL) STRICT',
    // The index for searches: one row for each call, under the sequence of its intent.
    `CREATE TABLE calls (
      sequence INTEGER PRIMARY KEY, call TEXT NOT NULL, at INTEGER NOT NULL,
      caller TEXT NOT NULL, server TEXT, tool TEXT NOT NULL, continued INTEGER NOT NULL,
      ended INTEGER, duration REAL, decision TEXT, outcome TEXT, reason TEXT
    ) STRICT`,
    'CREATE INDEX calls_call ON calls (call)',
    'CREATE INDEX calls_caller ON calls (caller)',
    'CREATE INDEX calls_server ON calls (server)',
    'CREATE INDEX calls_tool ON calls (tool)',
    'CREATE INDEX calls_outcome ON calls (outcome)',
    // Times of the records in each stretch of the log. Searches by time begin here, because clocks jump.
    'CREATE TABLE stretches (stretch INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, latest INTEGER NOT NULL) STRICT',
    // One row for each request for approval. It counts while it is live; after that it is history.
    `CREATE TABLE approvals (
      added INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
      caller TEXT NOT NULL, call_digest TEXT NOT NULL, digest TEXT NOT NULL, held INTEGER NOT NULL, asked TEXT NOT NULL,
      expires INTEGER NOT NULL, waits REAL NOT NULL, until REAL NOT NULL,
      live INTEGER NOT NULL, state TEXT NOT NULL, why TEXT, always TEXT, settled INTEGER
    ) STRICT`,
    `CREATE INDEX approvals_pending ON approvals (caller) WHERE live = 1 AND state = 'pending'`,
    'CREATE INDEX approvals_live ON approvals (until) WHERE live = 1',
    'CREATE INDEX approvals_past ON approvals (added) WHERE live = 0',
    'CREATE UNIQUE INDEX approvals_open ON approvals (call_digest) WHERE live = 1 AND held = 0',
    // Grants, pins and keys: few, and all of them read when the store is opened.
    'CREATE TABLE kept (room TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (room, key)) STRICT, WITHOUT ROWID',
    // Credentials, sealed.
    `CREATE TABLE sealed (
      server TEXT NOT NULL, principal TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (server, principal, name)
    ) STRICT, WITHOUT ROWID`,
    'CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID',
  ],
  [
    // Columns that sort and count the queue, so that thousands of pending requests are scanned without reading their texts.
    'ALTER TABLE approvals ADD COLUMN server TEXT',
    `ALTER TABLE approvals ADD COLUMN tool TEXT NOT NULL DEFAULT ''`,
    'ALTER TABLE approvals ADD COLUMN danger INTEGER NOT NULL DEFAULT 3',
    'ALTER TABLE approvals ADD COLUMN decider TEXT',
    'ALTER TABLE approvals ADD COLUMN decision TEXT',
    `UPDATE approvals SET decision = CASE WHEN state IN ('allowed', 'released') THEN 'allow' WHEN state = 'denied' THEN 'deny' END`,
    `UPDATE approvals SET server = asked ->> '$.server', tool = coalesce(asked ->> '$.tool.name', ''),
      danger = CASE WHEN asked ->> '$.hints.readOnly' THEN 0 WHEN coalesce(asked ->> '$.hints.destructive', 1) THEN 3
        WHEN asked ->> '$.hints.idempotent' THEN 1 ELSE 2 END`,
    `CREATE INDEX approvals_queue ON approvals (danger DESC, added, until, server, tool, caller) WHERE live = 1 AND state = 'pending'`,
    `CREATE INDEX approvals_allowed ON approvals (tool, caller, added) WHERE decision = 'allow'`,
  ],
  [
    // The last record of the log that the index of calls includes.
    `INSERT OR REPLACE INTO state (name, value) SELECT 'indexed', coalesce(max(sequence), 0) FROM audit`,
  ],
  [
    // The sealed arguments of a pending call. They are removed when the wait ends, in any way.
    'ALTER TABLE approvals ADD COLUMN sealed BLOB',
    `CREATE TRIGGER approvals_decided AFTER UPDATE OF live, state ON approvals
      WHEN NEW.sealed IS NOT NULL AND (NEW.live = 0 OR NEW.state <> 'pending')
      BEGIN UPDATE approvals SET sealed = NULL WHERE added = NEW.added; END`,
    `UPDATE approvals SET asked = json_remove(asked, '$.arguments', '$.display') WHERE live = 0 OR state <> 'pending'`,
    // Remains until the pages that may still hold unsealed arguments are erased.
    `INSERT INTO state (name, value) SELECT 'unerased', 'arguments' WHERE EXISTS (SELECT 1 FROM approvals)`,
  ],
]

/** Erases data that older versions left in the file. Returns a note if the file cannot be rewritten; the next start tries again. */
export function eraseOldPages(db: DatabaseConnection): string | undefined {
  if (!preparer(db)(`SELECT 1 AS there FROM state WHERE name = 'unerased'`).first()) return undefined
  try {
    db.exec('VACUUM')
    db.exec(`DELETE FROM state WHERE name = 'unerased'`)
    return undefined
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return `Arguments of calls that waited for approval under an older version may still be in toolwire.db, because the file could not be rewritten (${why}). Make room on the disk, and start the gateway again.`
  }
}

const versionOf = (db: DatabaseConnection): number =>
  preparer(db)<{ user_version: number }>('PRAGMA user_version').first()?.user_version ?? 0

export const isMigrated = (db: DatabaseConnection): boolean => versionOf(db) === migrations.length

/** Throws if a newer version has made the file, whose tables may be different. */
export function refuseNewerVersion(db: DatabaseConnection): void {
  const version = versionOf(db)
  if (version > migrations.length)
    throw new Error(
      `The database has version ${version}, made by a newer Toolwire; this one knows ${migrations.length} at most. Install the newer Toolwire`,
    )
}

/** Migrates the file to the newest version. */
export function migrate(db: DatabaseConnection): void {
  refuseNewerVersion(db)
  const version = versionOf(db)
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue
    inTransaction(db, () => db.exec(`${statements.join(';')}; PRAGMA user_version=${index + 1}`))
  }
}
