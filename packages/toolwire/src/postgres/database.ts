import { sharedDeadline } from '../bounds/deadline.js'
import { reportFault } from '../server/report-fault.js'
import { postgresSchema } from './schema.js'

/** Anything that runs statements, such as a `Pool` of the package `pg`. */
export type PostgresPool = {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Runs one statement and returns its rows. */
export type RunSql = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>

export type SharedDatabase = {
  readonly sql: RunSql
  migrate(): Promise<void>
}

/** SQLSTATEs: no such table, schema, column or function. */
const missing: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42703', '42883'])
/** SQLSTATEs: another replica has created the same object at the same moment. */
const createdConcurrently: ReadonlySet<unknown> = new Set(['23505', '42P06', '42P07'])

const forgetEveryMs = 60_000
/** Rows that one statement removes. */
const removedAtOnce = 10_000

type DatabaseTerms = {
  readonly withinMs: number
  readonly forget: readonly string[]
  readonly prefix: string
}

/** Replaces the prefix of table names, once for each statement. */
function namedBy(prefix: string): (text: string) => string {
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(prefix))
    throw new TypeError('`prefix` must have up to 30 lowercase letters, digits and underscores, and begin with a letter')
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text) ?? text.replaceAll(/\bshared_/g, `${prefix}_`)
    known.set(text, found)
    return found
  }
}

/** Tables are created when a statement finds them missing, so that other statements need no check. */
export function sharedDatabase(pool: PostgresPool, { withinMs, forget, prefix }: DatabaseTerms): SharedDatabase {
  const named = namedBy(prefix)
  const within = sharedDeadline(withinMs)
  const ask = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> => {
    const { rows } = await within(pool.query(named(text), [...values]))
    return rows as readonly Row[] // each statement states its columns
  }
  async function migrate(): Promise<void> {
    try {
      await within(pool.query(named(postgresSchema)))
    } catch (thrown) {
      if (!createdConcurrently.has(sqlStateOf(thrown))) throw thrown
      await within(pool.query(named(postgresSchema)))
    }
  }
  const removeOld = async (text: string): Promise<void> => {
    while ((await ask(text, [])).length === removedAtOnce);
  }
  let forgetAt = 0
  /** Removes expired rows now and then, after a successful statement. */
  async function forgetOld(): Promise<void> {
    const now = performance.now()
    if (now < forgetAt) return
    forgetAt = now + forgetEveryMs
    for (const text of forget) await removeOld(text).catch((thrown) => reportFault('removing old rows from PostgreSQL', thrown))
  }
  async function answered<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      return await ask<Row>(text, values)
    } catch (thrown) {
      if (!missing.has(sqlStateOf(thrown))) throw thrown
      await migrate()
      return ask<Row>(text, values)
    }
  }
  return {
    migrate,
    async sql(text, values) {
      const rows = await answered<never>(text, values)
      void forgetOld()
      return rows
    },
  }
}

const sqlStateOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined)

/** True for only one replica at a time, so that one removes old rows. */
export const cleanupLock = '(SELECT pg_try_advisory_xact_lock(4717031522))'

/** Escapes NUL, which PostgreSQL cannot store in a text. Different texts stay different. */
export const storable = (text: string): string => text.replace(/[\\\0]/g, (one) => (one === '\0' ? '\\0' : '\\\\'))

/** A digest to compare instead of a text, which might be too long for an index. */
export const hashOf = (parameter: string): string => `sha256(convert_to(${parameter}::text, 'UTF8'))`

/** The time at the beginning of a statement. Unlike the bare function, it can be looked up in an index. */
export const startTime = '(SELECT clock_timestamp())'

/** Removes expired rows in batches. Rows locked by other replicas stay until the next time. */
export const forgetRows = (table: string, key: string, isOver: string): string => `
DELETE FROM toolwire.${table} WHERE (${key}) IN (
  SELECT ${key} FROM toolwire.${table} WHERE ${cleanupLock} AND ${isOver} LIMIT ${removedAtOnce} FOR UPDATE SKIP LOCKED
) RETURNING 1`
