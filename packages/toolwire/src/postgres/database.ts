import { sharedDeadline } from '../bounds/deadline.js'
import { reportFault } from '../server/report-fault.js'
import { postgresSchema } from './schema.js'

/** Anything that can run a statement: a `Pool` of the package `pg`, or what is like it. */
export type PostgresPool = {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Runs one statement, and gives its rows. */
export type RunSql = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>

export type SharedDatabase = {
  readonly sql: RunSql
  /** Creates the tables that are not there yet. */
  migrate(): Promise<void>
}

/** SQLSTATEs: no such table, schema, column or function. */
const missing: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42703', '42883'])
/** Another one has created the same in this moment. */
const createdMeanwhile: ReadonlySet<unknown> = new Set(['23505', '42P06', '42P07'])

const forgetEveryMs = 60_000

type DatabaseTerms = {
  readonly withinMs: number
  /** What removes old rows. */
  readonly forget: readonly string[]
  /** Stands before the name of each table. */
  readonly prefix: string
}

/** Writes the names of tables with a prefix of one's own; each statement once. */
function namedBy(prefix: string): (text: string) => string {
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(prefix))
    throw new TypeError('`prefix` has up to 30 small letters, digits and underscores, and begins with a letter')
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text) ?? text.replaceAll(/\bshared_/g, `${prefix}_`)
    known.set(text, found)
    return found
  }
}

/** Tables are created when a statement finds none, so nothing has to be asked before the first one, nor before any other. */
export function sharedDatabase(pool: PostgresPool, { withinMs, forget, prefix }: DatabaseTerms): SharedDatabase {
  const named = namedBy(prefix)
  const within = sharedDeadline(withinMs)
  const ask = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> => {
    const { rows } = await within(pool.query(named(text), [...values]))
    return rows as readonly Row[] // each statement says which columns it gives
  }
  async function migrate(): Promise<void> {
    try {
      await within(pool.query(named(postgresSchema)))
    } catch (thrown) {
      if (!createdMeanwhile.has(sqlStateOf(thrown))) throw thrown
      await within(pool.query(named(postgresSchema)))
    }
  }
  let forgetAt = 0
  /** Now and then, after a statement that went well, what nobody asks for any more is removed. */
  async function forgetOld(): Promise<void> {
    const now = performance.now()
    if (now < forgetAt) return
    forgetAt = now + forgetEveryMs
    try {
      for (const text of forget) await ask(text, [])
    } catch (thrown) {
      reportFault('removing old rows from PostgreSQL', thrown)
    }
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

/** True for one of the replicas that remove old rows in this moment. */
export const oneAtATime = '(SELECT pg_try_advisory_xact_lock(4717031522))'

/** PostgreSQL's text holds no NUL. No two texts have the same form. */
export const storable = (text: string): string => text.replace(/[\\\0]/g, (one) => (one === '\0' ? '\\0' : '\\\\'))

/** What a statement compares in place of a text of any length, which might not fit an index. */
export const hashOf = (parameter: string): string => `sha256(convert_to(${parameter}::text, 'UTF8'))`

/** Removes rows that nobody asks for any more, some at a time; those that others are changing wait for the next time. */
export const forgetRows = (table: string, key: string, isOver: string): string => `
DELETE FROM toolwire.${table} WHERE ${key} IN (
  SELECT ${key} FROM toolwire.${table} WHERE ${isOver} LIMIT 10000 FOR UPDATE SKIP LOCKED
)`
