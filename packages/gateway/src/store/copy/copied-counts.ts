import { type DatabaseConnection, preparer } from '../database/connection.js'
import type { Sql } from '../postgres/connection.js'
import { nulSafe } from '../postgres/text-cells.js'

export type CopyCount = { readonly what: string; readonly source: number; readonly target: number }

type TableCount = { readonly what: string; readonly count: number }
type Counts = ReadonlyMap<string, number>

const countStatement = (
  table: (name: string) => string,
  kept = table('kept'),
) => `SELECT 'audit records' AS what, count(*) AS count FROM ${table('audit')}
  UNION ALL SELECT 'approvals', count(*) FROM ${table('approvals')}
  UNION ALL SELECT 'credentials', count(*) FROM ${table('sealed')}
  UNION ALL SELECT room, count(*) FROM ${kept} GROUP BY room`

export const countsInDirectory = (db: DatabaseConnection): Counts =>
  countsOf(preparer(db)<TableCount>(countStatement((name) => name)).all())

/** Other applications may have tickets in the same table, so those are counted that meet `ofTickets`. */
export async function countsInPostgres(sql: Sql, ofTickets = 'true'): Promise<Counts> {
  const kept = `(SELECT room FROM toolwire.kept WHERE value IS NOT NULL
    UNION ALL SELECT 'tickets' FROM toolwire.shared_tickets WHERE ${ofTickets}) AS kept`
  const counts = countStatement((name) => `toolwire.${name}`, kept)
  return countsOf(await nulSafe(sql)<TableCount>(`SELECT what, count::float8 AS count FROM (${counts}) AS counts`))
}

const countsOf = (rows: readonly TableCount[]): Counts => new Map(rows.map(({ what, count }) => [what, count]))

/** Compares the counts of both stores; throws if they differ. */
export function compareCounts(source: Counts, target: Counts): CopyCount[] {
  const all = [...new Set([...source.keys(), ...target.keys()])]
  const counts = all.map((what) => ({ what, source: source.get(what) ?? 0, target: target.get(what) ?? 0 }))
  const wrong = counts.find(({ source, target }) => source !== target)
  if (wrong) throw new Error(`${wrong.target} of ${wrong.source} ${wrong.what} were copied, so the copy was discarded.`)
  return counts.filter(({ source }) => source > 0)
}
