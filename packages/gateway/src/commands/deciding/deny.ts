import { apiOf } from '../api/api.js'
import type { Run } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import { decide, idOf, toolOf, waitingNamed } from './waiting.js'

export const run: Run = async (input, terminal) => {
  const [id = '', ...words] = input.operands
  const reason = words.join(' ')
  const api = apiOf(input)
  const waiting = await waitingNamed(api, id)
  const denial = { decision: 'deny', ...(reason !== '' && { reason }) }
  await decide(api, waiting, denial)
  if (terminal.json) terminal.printJson({ id: idOf(waiting), ...denial })
  else terminal.print(`Denied ${visibleLine(toolOf(waiting))}`)
  return undefined
}
