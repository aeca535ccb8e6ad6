import { apiClientOf } from '../api/api-client.js'
import type { RunCommand } from '../command.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { approvalId, approvalTool, pendingById, sendDecision } from './pending-approval.js'

export const run: RunCommand = async (input, terminal) => {
  const [id = '', ...words] = input.operands
  const reason = words.join(' ')
  const api = apiClientOf(input)
  const waiting = await pendingById(api, id)
  const denial = { decision: 'deny', ...(reason !== '' && { reason }) }
  await sendDecision(api, waiting, denial)
  if (terminal.json) terminal.printJson({ id: approvalId(waiting), ...denial })
  else terminal.print(`Denied ${visibleTextLine(approvalTool(waiting))}`)
}
