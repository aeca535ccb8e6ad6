import { apiOf } from '../api/api.js'
import { table } from '../output/table.js'
import type { Run } from '../spec.js'
import { allWaiting, callerOf, idOf, leftOf, toolOf } from './waiting.js'

export const run: Run = async (input, terminal) => {
  const waiting = await allWaiting(apiOf(input))
  if (terminal.json) return void terminal.printJson({ approvals: waiting })
  if (waiting.length === 0) return void terminal.say('No call waits for a decision')
  const rows = waiting.map((one) => [idOf(one), callerOf(one), toolOf(one), leftOf(one), JSON.stringify(one.arguments ?? {})])
  terminal.print(table(['ID', 'CALLER', 'TOOL', 'LEFT', 'ARGUMENTS'], rows, terminal))
  terminal.say('Decide: toolwire approve <id>, toolwire deny <id> [reason], or toolwire watch')
  return undefined
}
