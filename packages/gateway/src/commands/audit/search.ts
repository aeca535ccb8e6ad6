import type { JsonObject } from 'toolwire'
import { apiOf } from '../api/api.js'
import { listIn, numberIn, wordIn } from '../json.js'
import { timeOf } from '../output/moment.js'
import { table } from '../output/table.js'
import { isOn, type Run } from '../spec.js'
import { follow } from './follow.js'
import { queryOf } from './query.js'

export const run: Run = async (input, terminal) => {
  const api = apiOf(input)
  const query = queryOf(input)
  if (isOn(input, 'follow')) return follow(api, { query, signal: input.signal, terminal })
  const page = await api.ask('/audit', { query })
  const calls = listIn(page, 'calls')
  if (terminal.json) return void terminal.printJson({ calls, ...(page.before !== undefined && { before: page.before }) })
  if (calls.length === 0) return void terminal.say('Nothing is recorded that fits')
  terminal.print(table(['TIME', 'CALLER', 'TOOL', 'OUTCOME', 'MS', 'SEQUENCE'], calls.map(cells), terminal))
  if (page.before !== undefined) terminal.say('There is more: say what you look for, or a larger --limit')
  return undefined
}

function cells(call: JsonObject): string[] {
  const at = numberIn(call, 'at')
  const server = wordIn(call, 'server')
  const reason = wordIn(call, 'reason')
  const outcome = wordIn(call, 'outcome') ?? 'open'
  const note = reason ?? (wordIn(call, 'ground') === 'claim' ? 'unverified claim' : undefined)
  const durationMs = numberIn(call, 'durationMs')
  return [
    at === undefined ? '' : timeOf(at),
    wordIn(call, 'caller') ?? '',
    `${server === undefined ? '' : `${server}: `}${wordIn(call, 'tool') ?? ''}`,
    note === undefined ? outcome : `${outcome} (${note})`,
    durationMs === undefined ? '' : String(Math.round(durationMs)),
    String(call.sequence ?? ''),
  ]
}
