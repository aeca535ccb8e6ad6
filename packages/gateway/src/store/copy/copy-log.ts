import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AuditEntry, AuditHead } from 'toolwire/guard'
import { logPages } from '../audit/log-pages.js'
import { requireRecords } from '../audit/require-records.js'
import { plainHead } from '../audit/retention.js'
import type { HeadSigner } from '../audit/signed-head.js'
import { readRetentionMark } from '../audit/verify-log.js'
import { auditRows } from '../database/audit/audit-rows.js'
import { verifyRows } from '../database/audit/verify-rows.js'
import { stateRows } from '../database/key-value-rows.js'
import { appendGroup } from '../postgres/audit/append-group.js'
import { today } from '../postgres/audit/audit-tables.js'
import { newCheckpoint, placeOf } from '../postgres/audit/checkpoint.js'
import { putCheckpoint } from '../postgres/audit/checkpoint-writer.js'
import { makePastPartition } from '../postgres/audit/partitions.js'
import { clockOf, type Sql } from '../postgres/connection.js'
import type { CopiedDirectory } from './copied-directory.js'

const pageSize = 500

type CopyingLog = {
  readonly signer: HeadSigner
  readonly onProgress: (what: string, done: number) => void
}

/** Copies the chain as a stream. Checkpoints continue from its end, so that earlier heads keep their numbers. */
export async function copyLog(
  { db }: CopiedDirectory,
  sql: Sql,
  { signer, onProgress }: CopyingLog,
): Promise<AuditHead | undefined> {
  const rows = auditRows(db)
  const mark = readRetentionMark(stateRows(db).get('from'), signer)
  if (typeof mark === 'string') throw new Error(`${mark}. Nothing was copied.`)
  const from = plainHead(mark)
  const head = plainHead(rows.head())
  const verdict = requireRecords(await verifyRows(rows, { from, head: undefined }, (done) => onProgress('verified', done)), from)
  if (!verdict.ok && !verdict.empty)
    throw new Error(
      `Record ${verdict.sequence} of the log was altered, so nothing was copied: ${verdict.why}. Verify the log: toolwire audit verify`,
    )
  if (!head) return undefined
  const stream = randomUUID()
  const append = streamAppender(sql, signer, stream, await dayOf(sql))
  let done = 0
  for await (const page of logPages((after) => rows.entriesAfter(after, pageSize), 0, head.sequence)) {
    await append(page)
    done += page.length
    onProgress('copied', done)
    await setImmediate()
  }
  const heads = { [stream]: placeOf(head) }
  const begins = {
    checkpoint: placeOf(head),
    streams: { [stream]: { from: from ? placeOf(from) : null, head: null } },
    gone: [],
    copied: { stream, last: head.sequence },
  }
  const first = newCheckpoint(head, { heads, at: await clockOf(sql), begins }, signer)
  await putCheckpoint(sql, first, heads, true)
  return { sequence: first.number, hash: first.hash }
}

const dayOf = async (sql: Sql): Promise<string> =>
  (await sql<{ day: string }>(`SELECT to_char(${today}, 'YYYY-MM-DD') AS day`))[0]?.day ?? new Date().toISOString().slice(0, 10)

/** Appends records to the partitions of their days. Days never go back, and never go beyond the last day. */
function streamAppender(sql: Sql, signer: HeadSigner, stream: string, last: string) {
  const open = new Map<string, number>()
  let before: AuditHead | undefined
  let day = ''
  let made = ''

  function dayAfter({ text }: AuditEntry): string {
    const { at } = JSON.parse(text) as { at: number | null } // the log was verified
    if (at === null || at < 0) return day || last
    const written = at < Date.parse(last) ? new Date(at).toISOString().slice(0, 10) : last
    return written > day ? written : day
  }

  return async (page: readonly AuditEntry[]): Promise<void> => {
    const days = new Map<string, AuditEntry[]>()
    for (const entry of page) {
      day = dayAfter(entry)
      days.set(day, [...(days.get(day) ?? []), entry])
    }
    for (const [day, entries] of days) {
      if (day !== made) await makePastPartition(sql, day)
      made = day
      await appendGroup({ sql, signer, stream, open, day }, before, entries)
      before = plainHead(entries.at(-1))
    }
  }
}
