import type { AuditCall, AuditPage, AuditQuery } from '../../audit/audit-query.js'
import { type Cell, type DatabaseConnection, numberCell, prepare, type Row, type Statement, textCell } from '../connection.js'
import { indexBlockSize } from './call-index.js'

const usualLimit = 50
const mostLimit = 1_000
/** How many records are looked at in one go, and for how long in all: writers wait meanwhile. */
const windowSize = 10_000
const patienceMs = 25

type Span = { readonly lowest: number; readonly highest: number }

/** Looks for calls, newest first. A page may be short, or empty, when it takes long to find more: it says where to go on. */
export function callSearch(db: DatabaseConnection) {
  const newest = prepare(
    db,
    // Asked for in one go, SQLite would count through all of them.
    'SELECT (SELECT max(sequence) FROM calls) AS highest, (SELECT min(sequence) FROM calls) AS lowest',
  )
  const times = prepare(
    db,
    'SELECT min(stretch) AS first, max(stretch) AS last FROM stretches WHERE latest >= ? AND earliest <= ?',
  )
  const byCall = prepare(db, `SELECT ${columns} FROM calls c WHERE c.call = ? ORDER BY c.sequence DESC LIMIT 1`)
  const after = prepare(db, `SELECT ${columns} FROM calls c WHERE c.sequence > ? ORDER BY c.sequence LIMIT ?`)
  const statements = new Map<string, Statement>()

  function statementFor(conditions: readonly string[]): Statement {
    const where = ['c.sequence BETWEEN ? AND ?', ...conditions].join(' AND ')
    const known = statements.get(where)
    if (known) return known
    const made = prepare(db, `SELECT ${columns} FROM calls c WHERE ${where} ORDER BY c.sequence DESC LIMIT ?`)
    statements.set(where, made)
    return made
  }

  function spanOf({ before = Number.MAX_SAFE_INTEGER, from, to }: AuditQuery): Span {
    const all = newest.first()
    const highest = Math.min(numberCell(all?.highest) ?? 0, before - 1)
    const lowest = numberCell(all?.lowest) ?? 1
    if (from === undefined && to === undefined) return { lowest, highest }
    const { first, last } = times.first(from ?? 0, to ?? Number.MAX_SAFE_INTEGER) ?? {}
    return {
      lowest: Math.max(lowest, (numberCell(first) ?? Number.MAX_SAFE_INTEGER) * indexBlockSize),
      highest: Math.min(highest, ((numberCell(last) ?? -1) + 1) * indexBlockSize - 1),
    }
  }

  return {
    search(query: AuditQuery): AuditPage {
      const { conditions, cells } = conditionsOf(query)
      const limit = Math.min(Math.max(1, Math.trunc(query.limit ?? usualLimit) || usualLimit), mostLimit)
      const statement = statementFor(conditions)
      const { lowest, highest } = spanOf(query)
      const calls: AuditCall[] = []
      const deadline = performance.now() + patienceMs
      let top = highest
      while (top >= lowest && calls.length < limit && performance.now() < deadline) {
        const bottom = Math.max(lowest, top - windowSize + 1)
        const rows = statement.all(bottom, top, ...cells, limit - calls.length)
        calls.push(...rows.map(callIn))
        top = calls.length < limit ? bottom - 1 : (calls.at(-1)?.sequence ?? bottom) - 1
      }
      return top >= lowest ? { calls, before: top + 1 } : { calls }
    },
    callOf: (id: string): AuditCall | undefined => {
      const row = byCall.first(id)
      return row && callIn(row)
    },
    /** No call that was made at this time or later stands before this record. */
    firstSince: (at: number): number | undefined => {
      const stretch = numberCell(times.first(at, Number.MAX_SAFE_INTEGER)?.first)
      return stretch === undefined ? undefined : stretch * indexBlockSize
    },
    callsAfter: (sequence: number, most: number): AuditCall[] => after.all(sequence, most).map(callIn),
  }
}

const columns =
  'c.sequence, c.call, c.at, c.caller, c.server, c.tool, c.continued, c.ended, c.duration, c.decision, c.outcome, c.reason, ' +
  // Few have one, so it has no column of its own.
  "(SELECT a.text ->> '$.ground' FROM audit a WHERE a.sequence = c.ended) AS ground"

/** What it says in the log of the call, its intent and its outcome. */
const saysText = `(
  EXISTS (SELECT 1 FROM audit a WHERE a.sequence = c.sequence AND a.text LIKE ? ESCAPE '\\')
  OR EXISTS (SELECT 1 FROM audit a WHERE a.sequence = c.ended AND a.text LIKE ? ESCAPE '\\')
)`

function conditionsOf(query: AuditQuery): { conditions: string[]; cells: Cell[] } {
  const { text, from, to, outcome } = query
  const conditions: string[] = []
  const cells: Cell[] = []
  const add = (condition: string, ...more: Cell[]) => {
    conditions.push(condition)
    cells.push(...more)
  }
  for (const column of ['caller', 'server', 'tool', 'decision'] as const) {
    const wanted = query[column]
    if (wanted !== undefined) add(`c.${column} = ?`, wanted)
  }
  if (outcome === 'open') add('c.outcome IS NULL')
  else if (outcome !== undefined) add('c.outcome = ?', outcome)
  if (from !== undefined) add('c.at >= ?', from)
  if (to !== undefined) add('c.at <= ?', to)
  if (text) add(saysText, likeOf(text), likeOf(text))
  return { conditions, cells }
}

/** As it is written in JSON, anywhere. */
const likeOf = (text: string): string =>
  `%${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, '\\$&')}%`

function callIn(row: Row): AuditCall {
  const [server, decision, outcome, reason, ground] = [row.server, row.decision, row.outcome, row.reason, row.ground].map(
    textCell,
  )
  const [ended, durationMs] = [numberCell(row.ended), numberCell(row.duration)]
  return {
    sequence: numberCell(row.sequence) ?? 0,
    call: textCell(row.call) ?? '',
    at: numberCell(row.at) ?? 0,
    caller: textCell(row.caller) ?? '',
    tool: textCell(row.tool) ?? '',
    ...(server !== undefined && { server }),
    ...(row.continued === 1 && { continued: true }),
    ...(ended !== undefined && { ended }),
    ...(durationMs !== undefined && { durationMs }),
    // Only what the log says of itself is in these columns.
    ...(decision !== undefined && { decision: decision as NonNullable<AuditCall['decision']> }),
    ...(outcome !== undefined && { outcome: outcome as NonNullable<AuditCall['outcome']> }),
    ...(reason !== undefined && { reason }),
    ...(ground !== undefined && { ground: ground as NonNullable<AuditCall['ground']> }),
  }
}
