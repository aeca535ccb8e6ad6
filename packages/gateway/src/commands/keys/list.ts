import { apiOf } from '../api/api.js'
import { listIn, numberIn, wordIn } from '../json.js'
import { timeOf } from '../output/moment.js'
import { table } from '../output/table.js'
import type { Run } from '../spec.js'

export const run: Run = async (input, terminal) => {
  const keys = listIn(await apiOf(input).ask('/keys'), 'keys').map(({ hash: _, ...rest }) => rest)
  if (terminal.json) return void terminal.printJson({ keys })
  if (keys.length === 0) return void terminal.say('There are no keys; toolwire keys create makes one')
  const rows = keys.map((key) => {
    const expiresAt = numberIn(key, 'expiresAt')
    const scopes = Array.isArray(key.scopes) ? key.scopes.join(' ') : ''
    return [
      wordIn(key, 'id') ?? '?',
      wordIn(key, 'caller') ?? '',
      expiresAt === undefined ? 'for ever' : timeOf(expiresAt),
      scopes,
    ]
  })
  terminal.print(table(['ID', 'CALLER', 'UNTIL', 'SCOPES'], rows, terminal))
  return undefined
}
