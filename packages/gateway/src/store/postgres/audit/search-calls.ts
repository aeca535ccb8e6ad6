import {
  type AuditCall,
  type AuditPage,
  type AuditQuery,
  type CallRow,
  charactersInAnyCase,
  likeText,
  pageLimit,
} from '../../audit/audit-query.js'
import type { Sql } from '../connection.js'
import { isCancelled } from '../failures.js'
import { searchText } from './record-rows.js'
import { callColumns, callIn, callsAndEnds } from './stored-records.js'

const patienceMs = 400
/** Positions searched in one statement: more if that is quick, fewer if it is slow. */
const firstWindow = 20_000
const smallestWindow = 1_000
const [quickMs, slowMs] = [50, 200]

/**
 * Searches calls, newest first. If a search takes long, its page is short or empty, and says where to continue: each page proceeds, also
 * where a statement is cancelled because its window takes too long.
 */
export async function searchCalls(sql: Sql, query: AuditQuery): Promise<AuditPage> {
  const { conditions, values } = conditionsOf(query)
  const limit = pageLimit(query)
  const [span] = await sql<{ lowest: number | null; highest: number | null }>(
    'SELECT min(position)::float8 AS lowest, max(position)::float8 AS highest FROM toolwire.calls',
  )
  const lowest = span?.lowest ?? 1
  const start = Math.min(span?.highest ?? 0, (query.before ?? Number.MAX_SAFE_INTEGER) - 1)
  let top = start
  let window = firstWindow
  const calls: AuditCall[] = []
  const deadline = performance.now() + patienceMs
  for (;;) {
    const bottom = Math.max(lowest, top - window + 1)
    const began = performance.now()
    try {
      const rows = await sql<CallRow>(
        `SELECT ${callColumns} FROM ${callsAndEnds} AND e.begun BETWEEN $1 AND $2
         WHERE ${['c.position BETWEEN $1 AND $2', ...conditions].join(' AND ')}
         ORDER BY c.position DESC LIMIT $3`,
        [bottom, top, limit - calls.length, ...values],
      )
      calls.push(...rows.map(callIn))
    } catch (thrown) {
      if (!isCancelled(thrown)) throw thrown
      // The next page begins here, with the usual window.
      if (top < start) break
      const positions = top - bottom + 1
      if (positions <= smallestWindow) throw thrown
      window = smallerWindow(positions)
      continue
    }
    top = calls.length < limit ? bottom - 1 : (calls.at(-1)?.sequence ?? bottom) - 1
    // A text is looked for in every record of a window, and a statement that is given up has read them for nothing.
    window = Math.min(nextWindow(window, performance.now() - began), query.text ? firstWindow : Number.POSITIVE_INFINITY)
    if (top < lowest || calls.length >= limit || performance.now() >= deadline) break
  }
  return top >= lowest ? { calls, before: top + 1 } : { calls }
}

function nextWindow(window: number, tookMs: number): number {
  if (tookMs < quickMs) return window * 8
  return tookMs > slowMs ? smallerWindow(window) : window
}

const smallerWindow = (window: number): number => Math.max(smallestWindow, Math.ceil(window / 4))

/** Finds a text in the records of the call, its intent and its outcome. */
const saysText = (matches: string) => `(${recordSays('c', matches)} OR ${recordSays('e', matches)})`

/** With OFFSET, the planner looks up the record of each call, and does not search the texts of all days first. */
const recordSays = (part: 'c' | 'e', matches: string) =>
  `EXISTS (SELECT FROM toolwire.audit a WHERE a.stream = ${part}.stream AND a.sequence = ${part}.sequence AND a.day = ${part}.day
    AND a.text ${matches} OFFSET 0)`

/** A regular expression of characters in any case. */
const patternOf = (characters: readonly string[]): string =>
  characters.map((one) => (/^[!-/:-@[-`{-~]$/.test(one) ? `\\${one}` : `[${one}]`)).join('')

function conditionsOf(query: AuditQuery): { conditions: string[]; values: (string | number)[] } {
  const { text, from, to, outcome, decision } = query
  const conditions: string[] = []
  const values: (string | number)[] = []
  const add = (condition: (value: string) => string, value: string | number) => {
    values.push(value)
    conditions.push(condition(`$${values.length + 3}`))
  }
  for (const column of ['caller', 'server', 'tool'] as const) {
    const wanted = query[column]
    // The index has only the beginning of a name.
    if (wanted !== undefined)
      add((value) => `left(c.${column}, 200) = left(${value}::text, 200) AND c.${column} = ${value}::text`, searchText(wanted))
  }
  if (decision !== undefined) add((value) => `e.decision = ${value}`, decision)
  if (outcome === 'open') conditions.push('e.begun IS NULL')
  else if (outcome !== undefined) add((value) => `e.outcome = ${value}`, outcome)
  if (from !== undefined) add((value) => `c.at >= ${value}`, whole(from))
  if (to !== undefined) add((value) => `c.at <= ${value}`, whole(to))
  const characters = text && charactersInAnyCase(text)
  if (characters) add((value) => saysText(`~ ${value}`), patternOf(characters))
  else if (text) add((value) => saysText(`ILIKE ${value}`), likeText(text))
  return { conditions, values }
}

const whole = (at: number): number => Math.min(Math.max(Math.trunc(at) || 0, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
