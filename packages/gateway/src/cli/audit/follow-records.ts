import type { JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import type { ApiClient } from '../api/api-client.js'
import { watchEvents } from '../api/watch-events.js'
import { numberIn, stringIn } from '../json-members.js'
import { formatTime } from '../output/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJsonLine, visibleTextLine } from '../terminal/visible-text.js'
import type { auditFilterOf } from './audit-filter.js'
import { groundText } from './ground-text.js'

type Following = { readonly query: ReturnType<typeof auditFilterOf>; readonly signal: AbortSignal; readonly terminal: Terminal }

/** Prints every new record that matches, as JSON or in words. */
export async function followRecords(api: ApiClient, { query, signal, terminal }: Following): Promise<undefined> {
  for await (const { event, data } of watchEvents(api, { path: '/audit/follow', signal })) {
    const record = event === 'record' ? recordIn(data) : undefined
    if (!record || !isWanted(record, query)) continue
    terminal.print(terminal.json ? visibleJsonLine(record) : lineOf(record))
  }
  return undefined
}

function recordIn(entry: JsonObject): JsonObject | undefined {
  const record: unknown = JSON.parse(stringIn(entry, 'text') ?? 'null')
  return isObject(record) ? record : undefined
}

function isWanted(record: JsonObject, { tool, server, caller, outcome, text }: Following['query']): boolean {
  const wanted = Object.entries({ tool, server, caller })
  if (wanted.some(([name, value]) => value !== undefined && record[name] !== value)) return false
  // The intent of a call is on the log while the call is open.
  if (outcome !== undefined && outcome !== (record.kind === 'intent' ? 'open' : record.outcome)) return false
  return text === undefined || JSON.stringify(record).toLowerCase().includes(String(text).toLowerCase())
}

function lineOf(record: JsonObject): string {
  const outcome = [stringIn(record, 'outcome'), stringIn(record, 'reason') ?? groundText(record)].filter(Boolean).join(': ')
  const rest = record.kind === 'intent' ? `is called with ${JSON.stringify(record.arguments ?? {})}` : outcome
  const place = [stringIn(record, 'server'), stringIn(record, 'tool')].filter(Boolean).join(': ')
  return visibleTextLine(`${formatTime(numberIn(record, 'at') ?? 0)}  ${stringIn(record, 'caller') ?? ''}  ${place}  ${rest}`)
}
