import { auditLine } from 'toolwire/guard'
import type { ThreadClient } from '../thread-client.js'
import type { AuditCall } from './audit-query.js'

/** Each record on a line with its hash, to be verified elsewhere; or a table with a row for each call. */
export type ExportFormat = 'ndjson' | 'csv'

const pageSize = 500

/** The log from its beginning to where it ends now, a page at a time. */
export const exportAudit = (threadClient: ThreadClient, format: ExportFormat): AsyncGenerator<string> =>
  format === 'csv' ? table(threadClient) : lines(threadClient)

async function* lines(threadClient: ThreadClient): AsyncGenerator<string> {
  const end = (await threadClient.run('head'))?.sequence ?? 0
  let last: number | undefined
  while ((last ?? 0) < end) {
    const page = (await threadClient.run('entriesAfter', last ?? 0, pageSize)).filter(({ sequence }) => sequence <= end)
    const first = page[0]?.sequence
    if (first === undefined || (last !== undefined && first !== last + 1))
      throw new Error('Old records were dropped while the log was exported; export it again')
    yield page.map((entry) => `${auditLine(entry)}\n`).join('')
    last = page.at(-1)?.sequence
  }
}

async function* table(threadClient: ThreadClient): AsyncGenerator<string> {
  const end = (await threadClient.run('head'))?.sequence ?? 0
  yield `${columns.map(([name]) => name).join(',')}\r\n`
  let last = 0
  for (;;) {
    const page = (await threadClient.run('callsAfter', last, pageSize)).filter(({ sequence }) => sequence <= end)
    if (page.length === 0) return
    yield page.map((call) => `${columns.map(([, cell]) => quoted(cell(call))).join(',')}\r\n`).join('')
    last = page.at(-1)?.sequence ?? end
  }
}

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

/** Names are a stranger's: what a spreadsheet would take for a formula is kept from being one. RFC 4180 for the rest. */
function quoted(cell: string | number | undefined): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : `${cell}`
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
