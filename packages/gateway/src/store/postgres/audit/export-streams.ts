import { auditTable, type ExportFormat, recordLines } from '../../audit/export-audit.js'
import { logPages } from '../../audit/log-pages.js'
import type { Sql } from '../connection.js'
import { type Checkpoint, checkpointsAfter } from './checkpoint.js'
import { beginningNumber } from './fold-checkpoints.js'
import { callSpan, callsAfter, recordsAfter } from './stored-records.js'

const pageSize = 500

/**
 * The signed part of the log. The checkpoints come first. Each stream follows, with a line that names it and its records in the format of
 * `verifyAudit`.
 */
export async function* exportStreams(sql: Sql, format: ExportFormat, sign: () => Promise<void>): AsyncGenerator<string> {
  const before = await beginningNumber(sql)
  if (format === 'csv') yield* auditTable(calls(sql))
  else {
    await sign()
    yield* lines(sql)
  }
  if ((await beginningNumber(sql)) !== before)
    throw new Error('Old records were dropped while the log was exported. Export it again')
}

async function* calls(sql: Sql) {
  const { last } = await callSpan(sql, 0)
  yield* logPages((after) => callsAfter(sql, after, pageSize), 0, last ?? 0)
}

async function* lines(sql: Sql): AsyncGenerator<string> {
  // One statement, so that the ends agree: everything that is exported is signed.
  const ends = await sql<{ after: number; until: number; stream: string | null; sequence: number }>(
    `SELECT coalesce(c.after, 0)::float8 AS after, coalesce(c.until, 0)::float8 AS until, h.stream, h.sequence::float8 AS sequence
     FROM (SELECT (SELECT max(number) FROM toolwire.audit_checkpoints) AS until, (${lastDropped}) AS after) AS c
     LEFT JOIN toolwire.audit_heads h ON true ORDER BY h.stream`,
  )
  const { after = 0, until = 0 } = ends[0] ?? {}
  for await (const page of logPages((after) => numberedAfter(sql, after), after, until))
    yield page.map((one) => `${checkpointLine(one)}\n`).join('')
  for (const { stream, sequence } of ends) {
    if (stream === null) continue
    yield `${JSON.stringify({ stream, ends: sequence })}\n`
    yield* recordLines(logPages((after) => recordsAfter(sql, stream, after, pageSize), 0, sequence))
  }
}

/** The last dropped checkpoint according to the newest tombstone. Older checkpoints may still have to be removed. */
const lastDropped = `SELECT substring(text FROM '"begins":\\{"checkpoint":\\[(\\d{1,15}),')::bigint FROM toolwire.audit_checkpoints
  WHERE begins ORDER BY number DESC LIMIT 1`

const numberedAfter = async (sql: Sql, after: number) =>
  (await checkpointsAfter(sql, after, { most: pageSize })).map((one) => ({ ...one, sequence: one.number }))

/** Begins with its number and ends with its hash, as a record does. */
const checkpointLine = ({ number, hash, text, signature }: Checkpoint): string =>
  JSON.stringify({ checkpoint: number, signature, text, hash })
