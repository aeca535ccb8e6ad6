import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api-client.js'
import type { RunCommand } from '../command.js'
import { numberIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { findingLines, loadPins, pinServer, pinTool, serverChangeIn } from './pin-list.js'

export const run: RunCommand = async (input, terminal) => {
  const { pins, waiting, findings } = await loadPins(apiClientOf(input))
  if (terminal.json) return void terminal.printJson({ accepted: pins, waiting, findings })
  const row = (pin: JsonObject, state: string) => [pinServer(pin), pinTool(pin), state, stringIn(pin, 'hash') ?? '']
  const why = ({ serverChange, before }: JsonObject) => (serverChange ? 'another server' : before ? 'changed' : 'new')
  const rows = [
    ...waiting.map((drift) => row(drift, `${why(drift)}: withheld`)),
    ...pins.map((pin) => row(pin, `accepted ${formatTime(numberIn(pin, 'at') ?? 0)}`)),
  ]
  if (rows.length === 0) return void terminal.say('No definitions are accepted or waiting')
  terminal.print(table(['SERVER', 'NAME', 'STATE', 'HASH'], rows, terminal))
  for (const line of serverChangeIn(waiting)) terminal.print(terminal.paint.red(line))
  for (const line of findingLines(findings, terminal)) terminal.print(line)
  if (waiting.length > 0)
    terminal.say(
      'Review changes with toolwire pins diff <name>. Accept them with toolwire pins accept <name>, --server <name> or --all',
    )
}
