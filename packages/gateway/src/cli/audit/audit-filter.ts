import { type CommandInput, optionText, usageProblem } from '../command.js'
import { parseTime } from '../output/time.js'

const outcomes = ['ok', 'error', 'asked', 'refused', 'cancelled', 'failed', 'open']
export const usualCalls = 50
export const mostCalls = 1_000

export function auditFilterOf(input: CommandInput): { [name: string]: string | number | undefined } {
  const outcome = optionText(input, 'outcome')
  if (outcome !== undefined && !outcomes.includes(outcome)) throw usageProblem(`--outcome must be one of ${outcomes.join(', ')}`)
  const from = optionText(input, 'from')
  const to = optionText(input, 'to')
  return {
    text: input.operands[0],
    tool: optionText(input, 'tool'),
    server: optionText(input, 'server'),
    caller: optionText(input, 'caller'),
    outcome,
    from: from === undefined ? undefined : parseTime(from, '--from'),
    to: to === undefined ? undefined : parseTime(to, '--to'),
    limit: limitOf(optionText(input, 'limit')),
  }
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > mostCalls)
    throw usageProblem(`--limit must be a number from 1 to ${mostCalls}`)
  return limit
}
