import type { JsonObject } from 'toolwire'
import { shortReason } from '../upstreams/short-reason.js'
import { apiOf } from './api/api.js'
import { listIn, numberIn, wordIn } from './json.js'
import { spanOf } from './output/moment.js'
import { table } from './output/table.js'
import type { Run } from './spec.js'
import { visibleLine } from './terminal/hidden.js'

export const run: Run = async (input, terminal) => {
  const api = apiOf(input)
  const [status, servers] = await Promise.all([api.ask('/status'), api.ask('/servers')])
  const all = listIn(servers, 'servers')
  if (terminal.json) return void terminal.printJson({ ...status, servers: all })
  terminal.print(`The gateway at ${api.url}${factsOf(status)}`)
  for (const trouble of troublesOf(status)) terminal.print(terminal.paint.red(`  ${visibleLine(trouble)}`))
  if (all.length > 0) terminal.print(table(['SERVER', 'STATE', 'SINCE', 'TOOLS', 'WHY'], all.map(row), terminal))
  return undefined
}

/** What it says of itself in single words and numbers. */
function factsOf(status: JsonObject): string {
  const facts = Object.entries(status).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return facts.map(([name, value]) => `\n  ${visibleLine(name)}: ${visibleLine(String(value))}`).join('')
}

const troublesOf = ({ troubles }: JsonObject): string[] => (Array.isArray(troubles) ? troubles.map(String) : [])

function row(server: JsonObject): string[] {
  const since = numberIn(server, 'since')
  return [
    wordIn(server, 'id') ?? '?',
    wordIn(server, 'state') ?? '?',
    since === undefined ? '' : spanOf(Date.now() - since),
    String(server.tools ?? ''),
    (shortReason(wordIn(server, 'why') ?? '') || wordIn(server, 'heldBack')) ?? '',
  ]
}
