import { apiClientOf } from '../api/api.js'
import type { RunCommand } from '../spec.js'
import { visibleTextLine } from '../terminal/hidden.js'
import { approvalId, approvalTool, pendingById, sendDecision } from './waiting.js'

export const run: RunCommand = async (input, terminal) => {
  const [id = '', ...words] = input.operands
  const reason = words.join(' ')
  const api = apiClientOf(input)
  const waiting = await pendingById(api, id)
  const denial = { decision: 'deny', ...(reason !== '' && { reason }) }
  await sendDecision(api, waiting, denial)
  if (terminal.json) terminal.printJson({ id: approvalId(waiting), ...denial })
  else terminal.print(`Denied ${visibleTextLine(approvalTool(waiting))}`)
  return undefined
}
