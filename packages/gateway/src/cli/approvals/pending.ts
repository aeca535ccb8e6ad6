import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api-client.js'
import type { RunCommand } from '../command.js'
import { table } from '../output/table.js'
import { allPending, approvalCaller, approvalId, approvalTool, isUnreadable, timeLeft } from './pending-approval.js'

export const run: RunCommand = async (input, terminal) => {
  const waiting = await allPending(apiClientOf(input))
  if (terminal.json) return void terminal.printJson({ approvals: waiting })
  if (waiting.length === 0) return void terminal.say('No calls are pending')
  const shown = [approvalId, approvalCaller, approvalTool, timeLeft, shownArguments]
  const rows = waiting.map((one) => shown.map((cell) => cell(one)))
  terminal.print(table(['ID', 'CALLER', 'TOOL', 'LEFT', 'ARGUMENTS'], rows, terminal))
  terminal.say('Decide: toolwire approve <id>, toolwire deny <id> [reason], or toolwire watch')
}

const shownArguments = (one: JsonObject): string =>
  isUnreadable(one) ? 'cannot be read; deny the call' : JSON.stringify(one.arguments ?? {})
