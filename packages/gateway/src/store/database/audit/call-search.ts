import {
  type AuditCall,
  type AuditPage,
  type AuditQuery,
  type CallRow,
  charactersInAnyCase,
  likeText,
  pageLimit,
} from '../../audit/audit-query.js'
import { type Cell, withoutNulls } from '../cells.js'
import { type DatabaseConnection, preparer, type Statement } from '../connection.js'
import { indexBlockSize } from './call-index.js'

/** Records searched in one query, and the total time of a search. Both are bounded, because writers wait meanwhile. */
const windowSize = 10_000
/** SQLite takes ten times as long for sets of characters. */
const slowWindowSize = 1_000
const patienceMs = 25

type Span = { readonly lowest: number | null; readonly highest: number | null }

/** Searches calls, newest first. If a search takes long, its page is short or empty, and says where to continue: each page proceeds. */
export function callSearch(db: DatabaseConnection) {
  const sql = preparer(db)
  // Two subqueries, because SQLite would scan the table for both in one.
  const newest = sql<Span>('SELECT (SELECT max(sequence) FROM calls) AS highest, (SELECT min(sequence) FROM calls) AS lowest')
  const times = sql<{ first: number | null; last: number | null }>(
    'SELECT min(stretch) AS first, max(stretch) AS last FROM stretches WHERE latest >= ? AND earliest <= ?',
  )
  const byCall = sql<CallRow>(`SELECT ${columns} FROM calls c WHERE c.call = ? ORDER BY c.sequence DESC LIMIT 1`)
  const after = sql<CallRow>(`SELECT ${columns} FROM calls c WHERE c.sequence > ? ORDER BY c.sequence LIMIT ?`)
  const statements = new Map<string, Statement<CallRow>>()

  function statementFor(conditions: readonly string[]): Statement<CallRow> {
    const where = ['c.sequence BETWEEN ? AND ?', ...conditions].join(' AND ')
    const known = statements.get(where)
    if (known) return known
    const made = sql<CallRow>(`SELECT ${columns} FROM calls c WHERE ${where} ORDER BY c.sequence DESC LIMIT ?`)
    statements.set(where, made)
    return made
  }

  function spanOf({ before = Number.MAX_SAFE_INTEGER, from, to }: AuditQuery) {
    const all = newest.first()
    const highest = Math.min(all?.highest ?? 0, before - 1)
    const lowest = all?.lowest ?? 1
    if (from === undefined && to === undefined) return { lowest, highest }
    const { first = null, last = null } = times.first(from ?? 0, to ?? Number.MAX_SAFE_INTEGER) ?? {}
    if (first === null || last === null) return { lowest: 1, highest: 0 }
    return { lowest: Math.max(lowest, first * indexBlockSize), highest: Math.min(highest, (last + 1) * indexBlockSize - 1) }
  }

  return {
    search(query: AuditQuery): AuditPage {
      const { conditions, cells, window } = conditionsOf(query)
      const limit = pageLimit(query)
      const statement = statementFor(conditions)
      const { lowest, highest } = spanOf(query)
      const calls: AuditCall[] = []
      const deadline = performance.now() + patienceMs
      let top = highest
      do {
        const bottom = Math.max(lowest, top - window + 1)
        const rows = statement.all(bottom, top, ...cells, limit - calls.length)
        calls.push(...rows.map(callIn))
        top = calls.length < limit ? bottom - 1 : (calls.at(-1)?.sequence ?? bottom) - 1
      } while (top >= lowest && calls.length < limit && performance.now() < deadline)
      return top >= lowest ? { calls, before: top + 1 } : { calls }
    },
    callOf: (id: string): AuditCall | undefined => {
      const row = byCall.first(id)
      return row && callIn(row)
    },
    /** Returns a sequence before which no call was made at this time or later. */
    firstSince: (at: number): number | undefined => {
      const stretch = times.first(at, Number.MAX_SAFE_INTEGER)?.first ?? undefined
      return stretch === undefined ? undefined : stretch * indexBlockSize
    },
    callsAfter: (sequence: number, most: number): AuditCall[] => after.all(sequence, most).map(callIn),
  }
}

const columns =
  'c.sequence, c.call, c.at, c.caller, c.server, c.tool, c.continued, c.ended, c.duration AS durationMs, c.decision, c.outcome, c.reason, ' +
  // Few records have a ground, so it has no column of its own.
  "(SELECT a.text ->> '$.ground' FROM audit a WHERE a.sequence = c.ended) AS ground"

/** Finds a text in the records of the call, its intent and its outcome. */
const saysText = (matches: string) => `(
  EXISTS (SELECT 1 FROM audit a WHERE a.sequence = c.sequence AND a.text ${matches})
  OR EXISTS (SELECT 1 FROM audit a WHERE a.sequence = c.ended AND a.text ${matches})
)`

/** A GLOB pattern of characters in any case: GLOB distinguishes cases, so each letter is a set. */
const globOf = (characters: readonly string[]): string =>
  `*${characters.map((one) => (/^[^*?[]$/u.test(one) ? one : `[${one}]`)).join('')}*`

function conditionsOf(query: AuditQuery): { conditions: string[]; cells: Cell[]; window: number } {
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
  const characters = text && charactersInAnyCase(text)
  if (characters) add(saysText('GLOB ?'), globOf(characters), globOf(characters))
  else if (text) add(saysText("LIKE ? ESCAPE '\\'"), likeText(text), likeText(text))
  return { conditions, cells, window: characters ? slowWindowSize : windowSize }
}

/** The columns have the names of the members, and hold only values that the log has written. */
const callIn = (row: CallRow): AuditCall => withoutNulls({ ...row, continued: row.continued ? true : null }) as AuditCall
