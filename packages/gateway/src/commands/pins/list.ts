import { apiOf } from '../api/api.js'
import { numberIn, wordIn } from '../json.js'
import { timeOf } from '../output/moment.js'
import { table } from '../output/table.js'
import type { Run } from '../spec.js'
import { findingLines, pinsOf, serverChangeIn, serverOf, toolOf } from './pins.js'

export const run: Run = async (input, terminal) => {
  const { pins, waiting, findings } = await pinsOf(apiOf(input))
  if (terminal.json) return void terminal.printJson({ accepted: pins, waiting, findings })
  const rows = [
    ...waiting.map((drift) => [
      serverOf(drift),
      toolOf(drift),
      drift.serverChange ? 'another server: kept back' : drift.before ? 'changed: kept back' : 'new: kept back',
      wordIn(drift, 'hash') ?? '',
    ]),
    ...pins.map((pin) => [serverOf(pin), toolOf(pin), `accepted ${timeOf(numberIn(pin, 'at') ?? 0)}`, wordIn(pin, 'hash') ?? '']),
  ]
  if (rows.length === 0) return void terminal.say('No definition was accepted yet, and none waits')
  terminal.print(table(['SERVER', 'NAME', 'STATE', 'HASH'], rows, terminal))
  for (const line of serverChangeIn(waiting)) terminal.print(terminal.paint.red(line))
  for (const line of findingLines(findings, terminal)) terminal.print(line)
  if (waiting.length > 0)
    terminal.say(
      'Look at what is new: toolwire pins diff <name>; accept it: toolwire pins accept <name>, --server <name> or --all',
    )
  return undefined
}
