import { auditLine } from 'toolwire/guard'
import { auditTable, type ExportFormat } from '../../audit/export-audit.js'
import { logPages } from '../../audit/log-pages.js'
import type { Sql } from '../connection.js'
import { type Checkpoint, checkpointColumns } from './checkpoint.js'
import { callSpan, callsAfter, entriesAfter } from './stored-records.js'

const pageSize = 500

/**
 * The log as it is now. Each stream begins with a line that says which it is, followed by its records as `verifyAudit` reads them; the
 * checkpoints stand at the end.
 */
export const exportStreams = (sql: Sql, format: ExportFormat): AsyncGenerator<string> =>
  format === 'csv' ? auditTable(calls(sql)) : lines(sql)

async function* calls(sql: Sql) {
  const { last } = await callSpan(sql, 0)
  yield* logPages((after) => callsAfter(sql, after, pageSize), 0, last ?? 0)
}

async function* lines(sql: Sql): AsyncGenerator<string> {
  const [until] = await sql<{ number: number }>(
    'SELECT coalesce(max(number), 0)::float8 AS number FROM toolwire.audit_checkpoints',
  )
  const ends = await sql<{ stream: string; sequence: number }>(
    'SELECT stream, sequence::float8 AS sequence FROM toolwire.audit_streams ORDER BY stream',
  )
  for (const { stream, sequence } of ends) {
    yield `${JSON.stringify({ stream, records: sequence })}\n`
    let last: number | undefined
    for await (const page of logPages((after) => recordsAfter(sql, stream, after), 0, sequence)) {
      if (last !== undefined && page[0]?.sequence !== last + 1) throw new Error(dropped)
      yield page.map((entry) => `${auditLine(entry)}\n`).join('')
      last = page.at(-1)?.sequence
    }
  }
  for await (const page of logPages((after) => checkpointsAfter(sql, after), 0, until?.number ?? 0))
    yield page.map(({ text, hash, signature }) => `${JSON.stringify({ checkpoint: text, hash, signature })}\n`).join('')
}

const recordsAfter = async (sql: Sql, stream: string, after: number) =>
  (await entriesAfter(sql, stream, after, pageSize)).map(({ place, hash, text }) => ({ sequence: place, hash, text }))

const checkpointsAfter = async (sql: Sql, after: number) =>
  (
    await sql<Checkpoint>(
      `SELECT ${checkpointColumns} FROM toolwire.audit_checkpoints WHERE number > $1 ORDER BY number LIMIT $2`,
      [after, pageSize],
    )
  ).map((one) => ({ ...one, sequence: one.number }))

const dropped = 'Old records were dropped while the log was exported. Export it again'
