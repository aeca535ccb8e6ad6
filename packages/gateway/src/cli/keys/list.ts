import type { RunCommand } from '../command.js'
import { numberIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { keyManagerFor } from './key-manager.js'

export const run: RunCommand = async (input, terminal) => {
  await using desk = await keyManagerFor(input)
  const keys = await desk.list()
  if (terminal.json) return void terminal.printJson({ keys })
  if (keys.length === 0) return void terminal.say('There are no keys. Create one with toolwire keys create')
  const rows = keys.map((key) => {
    const expiresAt = numberIn(key, 'expiresAt')
    const scopes = Array.isArray(key.scopes) ? key.scopes.join(' ') : ''
    const until = expiresAt === undefined ? 'for ever' : formatTime(expiresAt)
    return [stringIn(key, 'id') ?? '?', stringIn(key, 'caller') ?? '', until, scopes]
  })
  terminal.print(table(['ID', 'CALLER', 'UNTIL', 'SCOPES'], rows, terminal))
}
