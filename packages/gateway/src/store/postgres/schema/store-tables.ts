import { auditTables } from '../audit/audit-tables.js'
import type { SchemaPart } from './migrate.js'

/** All tables except those of the audit log. */
const storeTables: SchemaPart = {
  name: 'store',
  migrations: [
    {
      serves: 1,
      statements: [
        // One row for each start of a gateway.
        `CREATE TABLE toolwire.replicas (
          id text PRIMARY KEY, name text NOT NULL, version text NOT NULL, address text,
          started timestamptz NOT NULL DEFAULT clock_timestamp(), seen timestamptz NOT NULL DEFAULT clock_timestamp())`,
        'CREATE INDEX replicas_seen ON toolwire.replicas (seen)',
        // Fingerprints of the keys that all gateways have.
        'CREATE TABLE toolwire.state (name text PRIMARY KEY, value text NOT NULL)',
        // Grants, pins, keys and others: few. The place is a digest of the key, because an index takes no long texts.
        // A dropped value stays as a row without a value for a while, so that other gateways notice the change.
        'CREATE SEQUENCE toolwire.kept_version',
        `CREATE TABLE toolwire.kept (
          room text NOT NULL, place text NOT NULL, key text NOT NULL, value text,
          version bigint NOT NULL DEFAULT nextval('toolwire.kept_version'),
          changed xid8 NOT NULL DEFAULT pg_current_xact_id(), changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          PRIMARY KEY (room, place))`,
        'CREATE INDEX kept_changed ON toolwire.kept (changed)',
        'CREATE INDEX kept_dropped ON toolwire.kept (changed_at) WHERE value IS NULL',
        // Credentials, sealed.
        `CREATE TABLE toolwire.sealed (
          place text PRIMARY KEY, server text NOT NULL, principal text NOT NULL, name text NOT NULL, value bytea NOT NULL)`,
        'CREATE INDEX sealed_principal ON toolwire.sealed (md5(principal))',
        // One row for each request for approval. It counts while it is live; after that it is history.
        `CREATE TABLE toolwire.approvals (
          added bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
          caller text NOT NULL, server text, identity text, tool text NOT NULL, danger integer NOT NULL,
          call_digest text NOT NULL, digest text NOT NULL, held boolean NOT NULL, holder text NOT NULL,
          asked text NOT NULL, sealed bytea, expires float8 NOT NULL, waits float8 NOT NULL, until timestamptz NOT NULL,
          live boolean NOT NULL DEFAULT true, state text NOT NULL DEFAULT 'pending',
          why text, always text, decider text, decision text, settled float8,
          changed xid8 NOT NULL DEFAULT pg_current_xact_id())`,
        'CREATE INDEX approvals_changed ON toolwire.approvals (changed)',
        `CREATE INDEX approvals_pending ON toolwire.approvals (md5(caller)) WHERE live AND state = 'pending'`,
        'CREATE INDEX approvals_live ON toolwire.approvals (until) WHERE live',
        'CREATE INDEX approvals_past ON toolwire.approvals (added) WHERE NOT live',
        'CREATE UNIQUE INDEX approvals_open ON toolwire.approvals (call_digest) WHERE live AND NOT held',
        'CREATE INDEX approvals_held ON toolwire.approvals (holder) WHERE live AND held',
        `CREATE INDEX approvals_allowed ON toolwire.approvals (md5(tool), md5(caller), added) WHERE decision = 'allow'`,
      ],
    },
    {
      serves: 1,
      statements: [
        // Configs with their rules, numbered without a gap. Rows are never changed.
        `CREATE TABLE toolwire.config_versions (
          version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), author text NOT NULL, note text,
          restores integer, hash text NOT NULL, content text NOT NULL, seal text NOT NULL)`,
        // The version that each gateway has in force: 0 for none yet, null if its config is a file.
        'ALTER TABLE toolwire.replicas ADD COLUMN config_version integer, ADD COLUMN config_trouble text',
      ],
    },
  ],
}

export const schemaParts: readonly SchemaPart[] = [
  storeTables,
  {
    name: 'audit',
    migrations: [
      { serves: 1, statements: auditTables },
      // Most rows belong to earlier starts.
      { serves: 1, statements: ['CREATE INDEX audit_streams_day ON toolwire.audit_streams (day)'] },
    ],
  },
]
