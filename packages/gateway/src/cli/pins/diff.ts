import { apiClientOf } from '../api/api-client.js'
import type { RunCommand } from '../command.js'
import { differenceOf, loadPins, waitingPin } from './pin-list.js'

export const run: RunCommand = async (input, terminal) => {
  const name = input.operands[0] ?? ''
  const drift = waitingPin(name, await loadPins(apiClientOf(input)))
  if (terminal.json) terminal.printJson({ tool: name, change: drift ?? null })
  else if (drift) terminal.print(differenceOf(drift, terminal))
  else terminal.say(`${name} has not changed since it was accepted`)
}
