import type { AuditEntry, AuditHead } from 'toolwire/guard'
import type { ApprovalUse } from '../../approvals/approval-row.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { useApproval } from '../approvals/approval-transitions.js'
import type { Postgres, Sql } from '../connection.js'
import { today } from './audit-tables.js'
import { type RecordRow, recordColumns, recordRows } from './record-rows.js'
import { isSealed, sealedText, streamEnd } from './stream-end.js'

/** The stream does not end where this replica left it. */
export class StreamMismatch extends Error {
  override readonly name: string = 'StreamMismatch'
}

/** This replica itself has extended the stream meanwhile, because statements that were given up may still succeed. */
export class StreamExtended extends StreamMismatch {
  override readonly name = 'StreamExtended'
}

export type Appending = {
  readonly sql: Sql
  readonly signer: HeadSigner
  readonly stream: string
  /** Position of the intent of each running call. */
  readonly open: Map<string, number>
  /** The day of the records, such as `2026-11-23`; today by default. */
  readonly day?: string
}

type Kept = { readonly sequence: number; readonly position: number }

/** Appends the entries after `before`, all or none, in one statement. Repeating it does no harm. */
export async function appendGroup(
  { sql, signer, stream, open, day }: Appending,
  before: AuditHead | undefined,
  entries: readonly AuditEntry[],
): Promise<void> {
  const last = entries.at(-1)
  if (!last) return
  const { sequence, hash } = last
  const rows = await withBeginnings(sql, recordRows(entries, open))
  const end = [stream, sequence, hash, signer.seal(sealedText(stream, last)), JSON.stringify(rows)]
  const text = statements[day === undefined ? 'now' : 'copied'][before ? 'later' : 'first']
  const values = [...end, ...(before ? [before.sequence, before.hash] : []), ...(day === undefined ? [] : [day])]
  let kept = await sql<Kept>(text, values)
  if (kept.length === 0) kept = await checkAppended({ sql, signer, stream }, before, last)
  const positions = new Map(kept.map((one) => [one.sequence, one.position]))
  for (const { call, sequence, outcome } of rows) {
    const position = positions.get(sequence)
    if (outcome !== undefined) open.delete(call)
    else if (position !== undefined && open.size < mostOpen) open.set(call, position)
  }
}

/** Uses the approval and appends the entries about it, or does neither and returns false. Repeating it does no harm. */
export function appendWithUse(
  { transaction, ...appending }: Appending & Pick<Postgres, 'transaction'>,
  before: AuditHead | undefined,
  entries: readonly AuditEntry[],
  use: ApprovalUse,
): Promise<boolean> {
  return transaction(async (sql) => {
    // In a retry, the first attempt may have succeeded.
    if (!(await useApproval(sql, use))) return isSameEntry(await streamEnd(sql, appending.stream), entries.at(-1))
    await appendGroup({ ...appending, sql }, before, entries)
    return true
  })
}

/** Further calls are looked up when they end. */
const mostOpen = 100_000

const isSameEntry = (one: AuditHead | undefined, other: AuditHead | undefined): boolean =>
  one !== undefined && one.sequence === other?.sequence && one.hash === other.hash

/** Looks up calls that began in another run or stream. It reads the index of every day, so an append itself must not do it. */
async function withBeginnings(sql: Sql, rows: readonly RecordRow[]): Promise<readonly RecordRow[]> {
  const isUnknown = ({ outcome, begun, here }: RecordRow) => outcome !== undefined && begun === undefined && here === undefined
  const calls = rows.filter(isUnknown).map(({ call }) => call)
  if (calls.length === 0) return rows
  const found = await sql<{ call: string; position: number }>(
    'SELECT call, max(position)::float8 AS position FROM toolwire.calls WHERE call = ANY($1) GROUP BY call',
    [calls],
  )
  const positions = new Map(found.map(({ call, position }) => [call, position]))
  return rows.map((row) => (isUnknown(row) ? { ...row, begun: positions.get(row.call) } : row))
}

/** Either this is a retry of an append that succeeded, or the stream has another end than `before`. */
async function checkAppended(
  { sql, signer, stream }: Pick<Appending, 'sql' | 'signer' | 'stream'>,
  before: AuditHead | undefined,
  last: AuditHead,
): Promise<readonly Kept[]> {
  const end = await streamEnd(sql, stream)
  // Calls whose position is unknown are looked up when they end.
  if (isSameEntry(end, last)) return []
  if (end && isSealed(end, signer) && end.sequence > (before?.sequence ?? 0))
    throw new StreamExtended(
      `Records cannot be added to stream ${stream} of the audit log, because earlier ones that were given up have been added meanwhile. Try again`,
    )
  throw new StreamMismatch(
    `Stream ${stream} of the audit log ends with record ${end?.sequence ?? 0}, but this replica wrote another last record. ` +
      'Verify the log (toolwire audit verify), then restart this replica, which begins a new stream',
  )
}

const statement = (ending: string) => `
WITH ending AS (${ending}),
records AS (
  SELECT nextval('toolwire.audit_position') AS position, ending.day, r.*
  FROM ending, (SELECT * FROM json_to_recordset($5::json) AS g(${recordColumns}) ORDER BY g.sequence) AS r
),
kept AS (
  INSERT INTO toolwire.audit (day, stream, sequence, position, hash, text)
  SELECT day, $1::uuid, sequence, position, decode(hash, 'hex'), text FROM records
),
begun AS (
  INSERT INTO toolwire.calls (day, position, stream, sequence, call, at, caller, server, tool, continued)
  SELECT day, position, $1::uuid, sequence, call, at, caller, server, tool, continued FROM records WHERE outcome IS NULL
),
ended AS (
  INSERT INTO toolwire.call_ends (day, position, begun, stream, sequence, duration, decision, outcome, reason, ground)
  SELECT day, position, coalesce(begun, (SELECT i.position FROM records AS i WHERE i.sequence = r.here)),
    $1::uuid, sequence, duration, decision, outcome, reason, ground
  FROM records AS r WHERE outcome IS NOT NULL
)
SELECT sequence::float8 AS sequence, position::float8 AS position FROM records`

const first = (day: string) =>
  statement(`
  INSERT INTO toolwire.audit_streams (stream, sequence, hash, seal, day, at)
  VALUES ($1::uuid, $2::bigint, decode($3, 'hex'), decode($4, 'hex'), ${day}, clock_timestamp())
  ON CONFLICT DO NOTHING RETURNING day`)

/** The day never goes back, even if the clock does, because dropping old days must drop the beginning of a stream. */
const later = (day: string) =>
  statement(`
  UPDATE toolwire.audit_streams
  SET sequence = $2::bigint, hash = decode($3, 'hex'), seal = decode($4, 'hex'), day = greatest(day, ${day}), at = clock_timestamp()
  WHERE stream = $1::uuid AND sequence = $6::bigint AND hash = decode($7, 'hex') RETURNING day`)

const statements = {
  now: { first: first(today), later: later(today) },
  copied: { first: first('$6::date'), later: later('$8::date') },
}
