import { apiClientOf } from '../api/api-client.js'
import type { RunCommand } from '../command.js'
import { numberIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { findingLines, loadPins, pinServer, pinTool, serverChangeIn } from './pin-list.js'

export const run: RunCommand = async (input, terminal) => {
  const { pins, waiting, findings } = await loadPins(apiClientOf(input))
  if (terminal.json) return void terminal.printJson({ accepted: pins, waiting, findings })
  const rows = [
    ...waiting.map((drift) => [
      pinServer(drift),
      pinTool(drift),
      drift.serverChange ? 'another server: withheld' : drift.before ? 'changed: withheld' : 'new: withheld',
      stringIn(drift, 'hash') ?? '',
    ]),
    ...pins.map((pin) => [
      pinServer(pin),
      pinTool(pin),
      `accepted ${formatTime(numberIn(pin, 'at') ?? 0)}`,
      stringIn(pin, 'hash') ?? '',
    ]),
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
