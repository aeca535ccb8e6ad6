import type { JsonObject } from 'toolwire'
import type { Api } from '../api/api.js'
import { eventsOf } from '../api/events.js'
import { isObject, numberIn, wordIn } from '../json.js'
import { timeOf } from '../output/moment.js'
import { visibleLine } from '../terminal/hidden.js'
import { jsonLine } from '../terminal/json-text.js'
import type { Terminal } from '../terminal/terminal.js'
import type { queryOf } from './query.js'

type Following = { readonly query: ReturnType<typeof queryOf>; readonly signal: AbortSignal; readonly terminal: Terminal }

/** Every record that fits, from now on: as it stands in the log, or in words. */
export async function follow(api: Api, { query, signal, terminal }: Following): Promise<undefined> {
  for await (const { event, data } of eventsOf(api, { path: '/audit/follow', signal })) {
    const record = event === 'record' ? recordIn(data) : undefined
    if (!record || !isWanted(record, query)) continue
    terminal.print(terminal.json ? jsonLine(record) : lineOf(record))
  }
  return undefined
}

function recordIn(entry: JsonObject): JsonObject | undefined {
  const record: unknown = JSON.parse(wordIn(entry, 'text') ?? 'null')
  return isObject(record) ? record : undefined
}

function isWanted(record: JsonObject, { tool, server, caller, outcome, text }: Following['query']): boolean {
  const wanted = Object.entries({ tool, server, caller })
  if (wanted.some(([name, value]) => value !== undefined && record[name] !== value)) return false
  if (outcome !== undefined && record.kind === 'outcome' && record.outcome !== outcome) return false
  return text === undefined || JSON.stringify(record).toLowerCase().includes(String(text).toLowerCase())
}

function lineOf(record: JsonObject): string {
  const outcome = [wordIn(record, 'outcome'), wordIn(record, 'reason')].filter(Boolean).join(': ')
  const rest = record.kind === 'intent' ? `is called with ${JSON.stringify(record.arguments ?? {})}` : outcome
  const place = [wordIn(record, 'server'), wordIn(record, 'tool')].filter(Boolean).join(': ')
  return visibleLine(`${timeOf(numberIn(record, 'at') ?? 0)}  ${wordIn(record, 'caller') ?? ''}  ${place}  ${rest}`)
}
