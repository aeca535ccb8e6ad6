import type { JsonObject } from 'toolwire'
import { parseJson } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { apiClientOf } from '../api/api-client.js'
import { textOfFile } from '../arguments/read-arguments.js'
import { type CommandInput, isOptionOn, optionText, type RunCommand, usageProblem } from '../command.js'
import { formatDuration, parseDuration } from '../output/time.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { approvalId, approvalTool, pendingById, sendDecision, showApproval } from './pending-approval.js'

export const run: RunCommand = async (input, terminal) => {
  const always = await alwaysOf(input)
  const api = apiClientOf(input)
  const waiting = await pendingById(api, input.operands[0] ?? '')
  terminal.say(showApproval(waiting, terminal))
  const extent = always ? ` and matching calls for ${formatDuration(always.forMs)}` : ' once'
  await sendDecision(api, waiting, { decision: 'allow', ...(always && { always }) })
  if (terminal.json) terminal.printJson({ id: approvalId(waiting), decision: 'allow', ...(always && { always }) })
  else terminal.print(`Approved ${visibleTextLine(approvalTool(waiting))}${extent}`)
}

const usualMs = 3_600_000
const longestMs = 28_800_000

async function alwaysOf(input: CommandInput): Promise<{ forMs: number; arguments?: JsonObject } | undefined> {
  const length = optionText(input, 'for')
  const schema = optionText(input, 'arguments')
  if (!isOptionOn(input, 'always')) {
    if (length !== undefined || schema !== undefined) throw usageProblem('--for and --arguments need --always. Add --always')
    return undefined
  }
  const forMs = length === undefined ? usualMs : parseDuration(length, '--for')
  if (forMs > longestMs) throw usageProblem('--for is longer than 8h. Choose a shorter time')
  return { forMs, ...(schema !== undefined && { arguments: await schemaIn(schema, input.cwd) }) }
}

async function schemaIn(given: string, cwd: string): Promise<JsonObject> {
  const text = given.startsWith('@') ? await textOfFile(given.slice(1), cwd) : given
  try {
    const value = parseJson(text)
    if (isObject(value)) return value
  } catch (cause) {
    throw usageProblem(`The JSON Schema of --arguments cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
  throw usageProblem('--arguments must be a JSON Schema, such as {"properties":{"env":{"const":"dev"}},"required":["env"]}')
}
