import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api-client.js'
import { isOptionOn, type RunCommand } from '../command.js'
import { listIn, numberIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { auditFilterOf } from './audit-filter.js'
import { followRecords } from './follow-records.js'

export const run: RunCommand = async (input, terminal) => {
  const api = apiClientOf(input)
  const query = auditFilterOf(input)
  if (isOptionOn(input, 'follow')) return followRecords(api, { query, signal: input.signal, terminal })
  const page = await api.request('/audit', { query })
  const calls = listIn(page, 'calls')
  if (terminal.json) return void terminal.printJson({ calls, ...(page.before !== undefined && { before: page.before }) })
  if (calls.length === 0) return void terminal.say('No recorded calls match')
  terminal.print(table(['TIME', 'CALLER', 'TOOL', 'OUTCOME', 'MS', 'SEQUENCE'], calls.map(cells), terminal))
  if (page.before !== undefined) terminal.say('There are more calls. Narrow the search, or raise --limit')
}

function cells(call: JsonObject): string[] {
  const [at, durationMs] = [numberIn(call, 'at'), numberIn(call, 'durationMs')]
  const outcome = stringIn(call, 'outcome') ?? 'open'
  const note = stringIn(call, 'reason') ?? (stringIn(call, 'ground') === 'claim' ? 'unverified claim' : undefined)
  return [
    at === undefined ? '' : formatTime(at),
    stringIn(call, 'caller') ?? '',
    [stringIn(call, 'server'), stringIn(call, 'tool') ?? ''].filter((part) => part !== undefined).join(': '),
    note === undefined ? outcome : `${outcome} (${note})`,
    durationMs === undefined ? '' : String(Math.round(durationMs)),
    String(call.sequence ?? ''),
  ]
}
