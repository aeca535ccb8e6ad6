// Copies everything besides the log, as rows, from one database to the other.
import { mostPageBytes } from '../approvals/approval-queue.js'
import { bytesIn, type Cell } from '../database/cells.js'
import { type DatabaseConnection, preparer } from '../database/connection.js'
import { monotonicNow } from '../database/thread/messages.js'
import { digestPrefix } from '../mirrored/spent-tickets.js'
import type { Sql } from '../postgres/connection.js'
import { keptKey } from '../postgres/kept-values.js'
import { nulSafe, withoutNul } from '../postgres/text-cells.js'

type Row = { readonly [column: string]: Cell | ArrayBuffer }

/** Approvals that are looked at for a page. */
const mostInPage = 200

const approvalColumns =
  'id, caller, server, tool, danger, call_digest, digest, asked, expires, waits, state, why, always, decider, decision, settled'
const approvalTypes =
  'id text, caller text, server text, identity text, tool text, danger integer, call_digest text, digest text, held integer, asked text, ' +
  'sealed text, expires float8, waits float8, "left" float8, live integer, state text, why text, always text, decider text, ' +
  'decision text, settled float8, added bigint'

export async function copyRowsToPostgres(db: DatabaseConnection, sql: Sql): Promise<void> {
  const read = preparer(db)
  const kept = read<Row>(`SELECT room, key, value FROM kept WHERE room <> 'tickets'`)
    .all()
    .map((row) => ({ ...row, place: keptKey(String(row.key)) }))
  await insert(sql, kept, insertKept)
  const tickets = read<Row>(`SELECT key, value FROM kept WHERE room = 'tickets'`).all()
  await insert(sql, tickets, insertTickets)
  const sealed = read<Row>('SELECT server, principal, name, value FROM sealed')
    .all()
    .map((row) => ({ ...row, place: keptKey(String(row.server), String(row.principal), String(row.name)) }))
  await insert(sql, sealed, insertSealed)
  await insert(sql, approvalsIn(db), insertApprovals)
}

/** Reads one at a time, because each may have megabytes of arguments. */
function* approvalsIn(db: DatabaseConnection): Generator<Row> {
  const next = preparer(db)<Row>(
    `SELECT ${approvalColumns}, added, held, live, sealed, asked ->> '$.serverIdentity' AS identity, until - ? AS "left" FROM approvals
     WHERE added > ? ORDER BY added LIMIT 1`,
  )
  for (let row = next.first(monotonicNow(), 0); row; row = next.first(monotonicNow(), Number(row.added))) yield row
}

const given = (types: string): string => `json_to_recordset($1::json) AS given(${types})`

const insertKept = `INSERT INTO toolwire.kept (room, place, key, value)
  SELECT room, place, key, value FROM ${given('room text, place text, key text, value text')}`

/** Stores digests and times as the library does when a ticket is claimed. Tickets of an earlier copy may be there. */
const insertTickets = `INSERT INTO toolwire.shared_tickets AS before (ticket, keep_until)
  SELECT CASE WHEN starts_with(key, '${digestPrefix}') THEN decode(substr(key, ${digestPrefix.length + 1}), 'hex')
    ELSE sha256(convert_to(key, 'UTF8')) END, to_timestamp(value / 1000) + interval '1 day' FROM ${given('key text, value float8')}
  ON CONFLICT (ticket) DO UPDATE SET keep_until = greatest(before.keep_until, excluded.keep_until)`
const ticketRows = `SELECT 'tickets' AS room, '${digestPrefix}' || encode(ticket, 'hex') AS key,
  (1000 * extract(epoch FROM keep_until - interval '1 day'))::bigint::text AS value FROM toolwire.shared_tickets`

const insertSealed = `INSERT INTO toolwire.sealed (place, server, principal, name, value)
  SELECT place, server, principal, name, decode(value, 'hex')
  FROM ${given('place text, server text, principal text, name text, value text')}`

/** From here on the clock of the database counts. The holder is empty, because no call waits for an answer any more. */
const insertApprovals = `INSERT INTO toolwire.approvals (${approvalColumns}, identity, held, live, sealed, holder, until)
  SELECT ${approvalColumns}, identity, held = 1, live = 1, decode(sealed, 'hex'), '',
    clock_timestamp() + greatest("left", -1) * interval '1 millisecond'
  FROM ${given(approvalTypes)} ORDER BY added`

async function insert(sql: Sql, rows: Iterable<Row>, statement: string): Promise<void> {
  for (const page of pagesOf(rows)) await sql(statement, [`[${page.join()}]`])
}

/** Rows as JSON, in pages of up to `mostPageBytes` characters or one row, because a text has a largest length. */
function* pagesOf(rows: Iterable<Row>): Generator<string[]> {
  let page: string[] = []
  let size = 0
  for (const row of rows) {
    const text = JSON.stringify(storable(row))
    size += text.length
    if (size > mostPageBytes && page.length > 0) {
      yield page
      page = []
      size = text.length
    }
    page.push(text)
  }
  if (page.length > 0) yield page
}

/** Converts a row to what PostgreSQL can store and JSON can carry. */
const storable = (row: Row): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => {
      if (typeof cell === 'string') return [name, withoutNul(cell)]
      const isBytes = cell instanceof Uint8Array || cell instanceof ArrayBuffer
      return [name, isBytes ? Buffer.from(bytesIn(cell)).toString('hex') : cell]
    }),
  )

export async function copyRowsToDirectory(plain: Sql, db: DatabaseConnection): Promise<void> {
  const [sql, write] = [nulSafe(plain), preparer(db)]
  const kept = write('INSERT INTO kept (room, key, value) VALUES (?, ?, ?)')
  for (const row of await sql<Row>(`SELECT room, key, value FROM toolwire.kept WHERE value IS NOT NULL UNION ALL ${ticketRows}`))
    kept.run(...cellsOf(row))
  const sealed = write('INSERT INTO sealed (server, principal, name, value) VALUES (?, ?, ?, ?)')
  for (const row of await sql<Row>('SELECT server, principal, name, value FROM toolwire.sealed')) sealed.run(...cellsOf(row))
  // The next start of a gateway computes the remaining time.
  const approval = write(`INSERT INTO approvals (${approvalColumns}, held, live, sealed, until)
    VALUES (${'?, '.repeat(approvalColumns.split(', ').length)}?, ?, ?, 0)`)
  let after: Row[string] = 0
  for (let page = await sql<Row>(approvalPage, [after]); page.length > 0; page = await sql<Row>(approvalPage, [after]))
    for (const { added = null, ...row } of page) {
      approval.run(...cellsOf(row))
      after = added
    }
}

/** The next approvals after $1, as many as `mostPageBytes` allows, or one. */
const approvalPage = `
  WITH page AS (
    SELECT added, asked, sealed FROM toolwire.approvals WHERE added > $1 ORDER BY added LIMIT ${mostInPage}
  ), sized AS (
    SELECT added AS place, row_number() OVER pages AS nth, sum(octet_length(asked) + coalesce(octet_length(sealed), 0)) OVER pages AS bytes
    FROM page WINDOW pages AS (ORDER BY added)
  )
  SELECT ${approvalColumns}, held::int, live::int, sealed, added::float8 AS added FROM sized JOIN toolwire.approvals ON added = place
  WHERE nth = 1 OR bytes <= ${mostPageBytes} ORDER BY added`

const cellsOf = (row: Row): Cell[] =>
  Object.values(row).map((cell) => (cell instanceof ArrayBuffer ? new Uint8Array(cell) : cell))
