// One table for each day, made ahead by the first replica to notice that it is missing.
import type { Postgres, Sql } from '../connection.js'
import { actAsOwner } from '../schema/act-as-owner.js'
import { dailyTables, today } from './audit-tables.js'

const daysAhead = 2
/** The first eight bytes of the word, a key that no other lock has. */
const lockKey = `('x' || encode('toolwire', 'hex'))::bit(64)::bigint`

/** Lets one replica at a time change partitions, until its transaction ends. */
export const lockPartitions = (sql: Sql) => sql(`SELECT pg_advisory_xact_lock(${lockKey})`)

/** Ensures a table for today and for some days ahead. */
export async function ensurePartitions(postgres: Postgres): Promise<void> {
  if ((await missing(postgres.sql)).length === 0) return
  await postgres.transaction(async (sql) => {
    // Attaching waits only for other changes of the table; after a timeout, the next call tries again.
    await sql(`SET LOCAL lock_timeout = '2s'`)
    await lockPartitions(sql)
    const found = await missing(sql)
    await actAsOwner(sql, async () => {
      for (const one of found) await makePartition(sql, one)
    })
  })
}

async function makePartition(sql: Sql, { name, day, next, table }: Missing): Promise<void> {
  await sql(`CREATE TABLE toolwire.${name} (LIKE toolwire.${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`)
  await sql(`ALTER TABLE toolwire.${table} ATTACH PARTITION toolwire.${name} FOR VALUES FROM ('${day}') TO ('${next}')`)
}

/** Earlier days share a table for their month, because a transaction has locks for a limited number of tables. */
const daysBack = 100

/** Makes the tables for a past day: for that day alone, or for its month. Their names contain their last day. */
export async function makePastPartition(sql: Sql, day: string): Promise<void> {
  const found = await sql<Missing & { there: boolean }>(
    `SELECT t.name || to_char(r.next - 1, '_YYYYMMDD') AS name, t.name AS table, r.day::text AS day, r.next::text AS next,
       to_regclass('toolwire.' || t.name || to_char(r.next - 1, '_YYYYMMDD')) IS NOT NULL AS there
     FROM unnest($1::text[]) AS t(name), (
       SELECT CASE WHEN $2::date >= edge THEN $2::date ELSE date_trunc('month', $2::date)::date END AS day,
         CASE WHEN $2::date >= edge THEN $2::date + 1 ELSE (date_trunc('month', $2::date) + interval '1 month')::date END AS next
       FROM (SELECT date_trunc('month', ${today} - ${daysBack})::date AS edge) AS e) AS r`,
    [dailyTables, day],
  )
  await actAsOwner(sql, async () => {
    for (const one of found) if (!one.there) await makePartition(sql, one)
  })
}

type Missing = { readonly name: string; readonly table: string; readonly day: string; readonly next: string }

const missing = (sql: Sql) =>
  sql<Missing>(
    `SELECT t.name || to_char(d.day, '_YYYYMMDD') AS name, t.name AS table, d.day::text AS day, (d.day + 1)::text AS next
     FROM unnest($1::text[]) AS t(name), (SELECT ${today} + n AS day FROM generate_series(0, $2::int) AS n) AS d
     WHERE NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.relname = t.name || to_char(d.day, '_YYYYMMDD')
       AND c.relnamespace = 'toolwire'::regnamespace) ORDER BY d.day, t.name`,
    [dailyTables, daysAhead],
  )

export type Partition = { readonly name: string; readonly table: string; readonly day: string }

/** Partitions of days before this one, oldest first. */
export const partitionsBefore = (sql: Sql, day: string) =>
  sql<Partition>(
    `SELECT * FROM (
       SELECT c.relname AS name, p.relname AS table, to_date(right(c.relname, 8), 'YYYYMMDD')::text AS day
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
       WHERE p.relnamespace = 'toolwire'::regnamespace AND p.relname = ANY($1)
     ) AS days WHERE day::date < $2::date ORDER BY day::date, name`,
    [dailyTables, day],
  )
