import { type AuditEntry, auditLine } from 'toolwire/guard'
import type { ThreadClient } from '../thread-client.js'
import type { AuditCall } from './audit-query.js'
import { logPages } from './log-pages.js'
import { parseSignedHead } from './signed-head.js'

/** `ndjson`: each record on a line with its hash, for verification. `csv`: a table with a row for each call. */
export type ExportFormat = 'ndjson' | 'csv'

const pageSize = 500

/** Exports the log from its beginning to its current end, page by page. After retention, its signed mark is the first line. */
export async function* exportAudit(thread: ThreadClient, format: ExportFormat): AsyncGenerator<string> {
  const end = (await thread.run('head'))?.sequence ?? 0
  yield* format === 'csv'
    ? auditTable(logPages((after) => thread.run('callsAfter', after, pageSize), 0, end))
    : lines(thread, end)
}

async function* lines(thread: ThreadClient, end: number): AsyncGenerator<string> {
  const mark = await thread.run('mark')
  if (mark !== undefined) yield `${JSON.stringify({ retention: parseSignedHead(mark) ?? null })}\n`
  const read = async (after: number) => {
    const page = await thread.run('entriesAfter', after, pageSize)
    // The mark must belong to the first record.
    if (after === 0 && (await thread.run('mark')) !== mark) throw new Error(droppedMeanwhile)
    return page
  }
  const last = yield* recordLines(logPages(read, 0, end))
  if (end > 0 && last !== end) throw new Error(droppedMeanwhile)
}

/** Yields the records of a chain, one on a line, and returns the last sequence. Throws if records were dropped meanwhile. */
export async function* recordLines(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string, number | undefined> {
  let last: number | undefined
  for await (const page of pages) {
    if (last !== undefined && page[0]?.sequence !== last + 1) throw new Error(droppedMeanwhile)
    yield page.map((entry) => `${auditLine(entry)}\n`).join('')
    last = page.at(-1)?.sequence
  }
  return last
}

export async function* auditTable(pages: AsyncIterable<readonly AuditCall[]>): AsyncGenerator<string> {
  yield `${columns.map(([name]) => name).join(',')}\r\n`
  for await (const page of pages)
    yield page.map((call) => `${columns.map(([, cell]) => quoteCell(cell(call))).join(',')}\r\n`).join('')
}

const droppedMeanwhile = 'Old records were dropped while the log was exported. Export it again'

const columns: readonly (readonly [name: string, cell: (call: AuditCall) => string | number | undefined])[] = [
  ['sequence', ({ sequence }) => sequence],
  ['time', ({ at }) => new Date(at).toISOString()],
  ['caller', ({ caller }) => caller],
  ['server', ({ server }) => server],
  ['tool', ({ tool }) => tool],
  ['decision', ({ decision }) => decision],
  ['outcome', ({ outcome }) => outcome ?? 'open'],
  ['reason', ({ reason }) => reason],
  ['durationMs', ({ durationMs }) => durationMs],
  ['call', ({ call }) => call],
  ['ground', ({ ground }) => ground],
]

/** Names are untrusted, so that a cell which a spreadsheet would take for a formula is escaped. The rest follows RFC 4180. */
function quoteCell(cell: string | number | undefined): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : `${cell}`
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
