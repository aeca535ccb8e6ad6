import type { JsonObject } from 'toolwire'
import { shortReason } from '../upstreams/short-reason.js'
import { apiClientOf } from './api/api-client.js'
import type { RunCommand } from './command.js'
import { listIn, numberIn, stringIn } from './json-members.js'
import { table } from './output/table.js'
import { formatDuration } from './output/time.js'
import { visibleTextLine } from './terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const api = apiClientOf(input)
  const [status, servers] = await Promise.all([api.request('/status'), api.request('/servers')])
  const all = listIn(servers, 'servers')
  if (terminal.json) return void terminal.printJson({ ...status, servers: all })
  terminal.print(`The gateway at ${api.url}${factsOf(status)}`)
  for (const trouble of troublesOf(status)) terminal.print(terminal.paint.red(`  ${visibleTextLine(trouble)}`))
  if (all.length > 0) terminal.print(table(['SERVER', 'STATE', 'SINCE', 'TOOLS', 'WHY'], all.map(row), terminal))
}

/** The members of the status that are words or numbers. */
function factsOf(status: JsonObject): string {
  const facts = Object.entries(status).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return facts.map(([name, value]) => `\n  ${visibleTextLine(inWords(name))}: ${visibleTextLine(String(value))}`).join('')
}

/** `callsUnderWay` is "calls under way". */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const troublesOf = ({ troubles }: JsonObject): string[] => (Array.isArray(troubles) ? troubles.map(String) : [])

function row(server: JsonObject): string[] {
  const since = numberIn(server, 'since')
  const age = since === undefined ? '' : formatDuration(Date.now() - since)
  const why = shortReason(stringIn(server, 'why') ?? '') || stringIn(server, 'heldBack')
  return [stringIn(server, 'id') ?? '?', stringIn(server, 'state') ?? '?', age, String(server.tools ?? ''), why ?? '']
}
