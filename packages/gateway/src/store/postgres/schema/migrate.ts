import { setTimeout as pause } from 'node:timers/promises'
import { postgresStores } from 'toolwire/postgres'
import { StoreFailure } from '../../store-failure.js'
import { type Postgres, poolOf, type Sql } from '../connection.js'
import { actAsOwner } from './act-as-owner.js'

/** A part of the schema that has versions of its own. */
export type SchemaPart = {
  readonly name: string
  /** Each entry migrates the tables from the version before it. A released entry is never edited. */
  readonly migrations: readonly Migration[]
}

type Migration = {
  /** The oldest version that a running program may know and still work on these tables; 1 is the first. */
  readonly serves: number
  readonly statements: readonly string[]
}

const lockName = 'toolwire schema'

const pauseMs = 200
const patienceMs = 60_000

/** Runs work in one transaction with the lock of the schema, so that gateways that start together do it in turn. */
export async function withSchemaLock<T>({ transaction }: Postgres, work: (sql: Sql) => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  for (;;) {
    const turn = await transaction(async (sql) => ((await tryLock(sql)) ? { done: await work(sql) } : undefined))
    if (turn) return turn.done
    if (performance.now() > until)
      throw new StoreFailure(
        'Another gateway has been preparing the tables in PostgreSQL for a minute. Wait for that gateway, or stop it.',
      )
    await pause(pauseMs)
  }
}

/** Takes the lock for the transaction; false if another gateway has it. */
async function tryLock(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ got: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got', [lockName])
  return row?.got === true
}

export async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [`toolwire.${name}`])
  return row?.there === true
}

export const hasSchema = (sql: Sql): Promise<boolean> => hasTable(sql, 'schema_versions')

type PartVersion = { readonly version: number; readonly serves: number }

/** Version 0 means that there are no tables yet. */
export async function partVersion(sql: Sql, part: string): Promise<PartVersion> {
  const found = await sql<PartVersion>(
    'SELECT version, serves FROM toolwire.schema_versions WHERE part = $1 ORDER BY version DESC LIMIT 1',
    [part],
  )
  return found[0] ?? { version: 0, serves: 1 }
}

/** Refuses tables of a newer Toolwire that this one does not understand. */
export function refuseNewer({ name, migrations }: SchemaPart, { version, serves }: PartVersion): void {
  const known = migrations.length
  if (version <= known || serves <= known) return
  throw new StoreFailure(
    `The tables in PostgreSQL (${name}) have version ${version}, made by a newer Toolwire. They need a program that knows version ${serves}; this one knows ${known}. Install the newer Toolwire here too.`,
  )
}

/** Requires a transaction that has the lock of the schema. */
async function migratePart(sql: Sql, part: SchemaPart): Promise<void> {
  await sql('CREATE SCHEMA IF NOT EXISTS toolwire')
  await sql(`CREATE TABLE IF NOT EXISTS toolwire.schema_versions (
    part text NOT NULL, version integer NOT NULL, serves integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (part, version))`)
  const before = await partVersion(sql, part.name)
  refuseNewer(part, before)
  for (const [index, { serves, statements }] of part.migrations.entries()) {
    const version = index + 1
    if (version <= before.version) continue
    await actAsOwner(sql, async () => {
      for (const statement of statements) await sql(statement)
    })
    await sql('INSERT INTO toolwire.schema_versions (part, version, serves) VALUES ($1, $2, $3)', [part.name, version, serves])
  }
}

/**
 * Gives tables and functions of the library to the owner of the log, as far as this user may. Earlier versions left them to the member of
 * that role who had made them. Those of other users are not the gateway's.
 */
const giveToOwner = `
DO $toolwire$
DECLARE
  one text;
  owner oid := (SELECT relowner FROM pg_class WHERE oid = to_regclass('toolwire.audit'));
BEGIN
  FOR one IN
    SELECT 'TABLE ' || oid::regclass FROM pg_class
    WHERE relnamespace = to_regnamespace('toolwire') AND relkind = 'r' AND starts_with(relname, 'shared_')
      AND relowner <> owner AND pg_has_role(relowner, owner, 'USAGE')
    UNION ALL SELECT 'FUNCTION ' || oid::regprocedure FROM pg_proc
    WHERE pronamespace = to_regnamespace('toolwire') AND starts_with(proname, 'shared_')
      AND proowner <> owner AND pg_has_role(proowner, owner, 'USAGE')
  LOOP
    BEGIN
      EXECUTE format('ALTER %s OWNER TO %I', one, pg_get_userbyid(owner));
    EXCEPTION WHEN insufficient_privilege THEN
      NULL;
    END;
  END LOOP;
END
$toolwire$`

/** Tables and functions for limits, spent tickets, sessions and labels that this user may not use, because an application made them before. */
const unusable = `
SELECT oid::regclass::text AS name, pg_get_userbyid(relowner) AS owner FROM pg_class
WHERE relnamespace = to_regnamespace('toolwire') AND relname IN ('shared_limits', 'shared_tickets', 'shared_sessions', 'shared_labels')
  AND EXISTS (SELECT FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed WHERE NOT has_table_privilege(pg_class.oid, needed))
UNION ALL SELECT oid::regproc::text, pg_get_userbyid(proowner) FROM pg_proc
WHERE pronamespace = to_regnamespace('toolwire') AND proname = 'shared_take' AND NOT has_function_privilege(oid, 'EXECUTE')`

/** Migrates the tables of limits, spent tickets, sessions and labels, which the library makes. */
async function migrateShared(sql: Sql): Promise<void> {
  await sql(giveToOwner)
  const [found] = await sql<{ name: string; owner: string }>(unusable)
  if (found)
    throw new StoreFailure(
      `The user of the address may not use ${found.name}, which an application with the role ${found.owner} has made. Make the user a member of that role: GRANT ${found.owner} TO … Or name another database.`,
    )
  await actAsOwner(sql, () => postgresStores(poolOf({ sql }), { replicas: 1 }).migrate())
}

/** Migrates all parts and the tables of the library, or refuses before anything is changed. */
export async function migrateAll(sql: Sql, parts: readonly SchemaPart[]): Promise<void> {
  if (await hasSchema(sql)) for (const part of parts) refuseNewer(part, await partVersion(sql, part.name))
  for (const part of parts) await migratePart(sql, part)
  await migrateShared(sql)
}
