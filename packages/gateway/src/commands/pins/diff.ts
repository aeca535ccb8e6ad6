import { apiOf } from '../api/api.js'
import type { Run } from '../spec.js'
import { differenceOf, pinsOf, waitingAt } from './pins.js'

export const run: Run = async (input, terminal) => {
  const name = input.operands[0] ?? ''
  const drift = waitingAt(name, await pinsOf(apiOf(input)))
  if (terminal.json) terminal.printJson({ tool: name, change: drift ?? null })
  else if (drift) terminal.print(differenceOf(drift, terminal))
  else terminal.say(`${name} is as it was accepted`)
  return undefined
}
