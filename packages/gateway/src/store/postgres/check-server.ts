import { StoreFailure } from '../store-failure.js'
import type { Sql } from './connection.js'

const oldest = 13
const mostSkewMs = 60_000

export type DatabaseFacts = {
  /** The value of `server_version`. */
  readonly version: string
  readonly major: number
  readonly encoding: string
  readonly readOnly: boolean
  /** Lead of the database's clock over the one here, in milliseconds. */
  readonly aheadMs: number
  /** True if tables can be created. The log gets new ones each day. */
  readonly mayCreate: boolean
  /** The isolation level of transactions that name none. */
  readonly isolation: string
  /** Settings with which PostgreSQL confirms a commit that a crash of its machine would undo. */
  readonly unsafe: readonly string[]
}

export async function readDatabaseFacts(sql: Sql, wall: () => number): Promise<DatabaseFacts> {
  const before = wall()
  const [row] = await sql<Omit<DatabaseFacts, 'major' | 'aheadMs'> & { number: string; now: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
       current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') = 'on' AS "readOnly",
       extract(epoch from clock_timestamp())::float8 * 1000 AS now,
       CASE WHEN to_regnamespace('toolwire') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
         ELSE has_schema_privilege('toolwire', 'USAGE') AND has_schema_privilege('toolwire', 'CREATE') AND NOT EXISTS (
           SELECT FROM pg_class WHERE relnamespace = to_regnamespace('toolwire') AND relname = 'audit'
             AND NOT pg_has_role(relowner, 'USAGE')
         ) END AS "mayCreate",
       current_setting('default_transaction_isolation') AS isolation,
       array(SELECT name || ' = off' FROM unnest(ARRAY['fsync', 'synchronous_commit']) AS name WHERE current_setting(name) = 'off') AS unsafe`,
  )
  if (!row) throw new StoreFailure('PostgreSQL returned no row for its version')
  const { number, now, ...facts } = row
  return { ...facts, major: Math.floor(Number(number) / 10_000), aheadMs: now - (before + wall()) / 2 }
}

/** The reason why the database cannot hold a store, with advice; undefined if it can. */
export function serverRefusal({
  version,
  major,
  encoding,
  readOnly,
  aheadMs,
  mayCreate,
  isolation,
}: DatabaseFacts): string | undefined {
  if (major < oldest)
    return `PostgreSQL ${version} is too old: a store needs version ${oldest} or newer. Upgrade it, or name another server.`
  if (encoding !== 'UTF8')
    return `The database has the encoding ${encoding}, which cannot store every text. Create a database with ENCODING 'UTF8'.`
  if (readOnly) return 'PostgreSQL takes no changes: it is a standby or read-only. Name the primary in the address of the store.'
  if (!mayCreate)
    return 'The user of the address may not create or use the schema toolwire, in which the log needs new tables each day. Grant the right: GRANT CREATE ON DATABASE … TO … If the schema is there, make the user a member of the role that owns its tables: GRANT … TO …'
  if (isolation === 'repeatable read' || isolation === 'serializable')
    return `Transactions in this database are "${isolation}" by default, which rejects simultaneous changes. Set the default for the user of the address: ALTER ROLE … SET default_transaction_isolation = 'read committed'`
  if (Math.abs(aheadMs) <= mostSkewMs) return undefined
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  return `The clock here is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the clock of PostgreSQL. Set both clocks by a time server (NTP), and start again.`
}

/** A warning about settings of the server that break a promise of the audit log and of approvals. */
export const unsafeNote = ({ unsafe }: DatabaseFacts): string | undefined =>
  unsafe.length === 0
    ? undefined
    : `PostgreSQL confirms commits before they are on its disk (${unsafe.join(', ')}): a crash of its machine may lose audit records, and make used approvals usable again. Set it to on`
