import { numberIn, wordIn } from '../json.js'
import { timeOf } from '../output/moment.js'
import { table } from '../output/table.js'
import type { Run } from '../spec.js'
import { keysDeskOf } from './keys-desk.js'

export const run: Run = async (input, terminal) => {
  await using desk = await keysDeskOf(input)
  const keys = await desk.list()
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
