import { misused } from '../exit-codes.js'
import { momentOf } from '../output/moment.js'
import { type Input, textOf } from '../spec.js'

const outcomes = ['ok', 'error', 'asked', 'refused', 'cancelled', 'failed', 'open']
const most = 1_000

/** What to look for, as the gateway wants it. */
export function queryOf(input: Input): { [name: string]: string | number | undefined } {
  const outcome = textOf(input, 'outcome')
  if (outcome !== undefined && !outcomes.includes(outcome)) throw misused(`--outcome is one of ${outcomes.join(', ')}`)
  const from = textOf(input, 'from')
  const to = textOf(input, 'to')
  return {
    text: input.operands[0],
    tool: textOf(input, 'tool'),
    server: textOf(input, 'server'),
    caller: textOf(input, 'caller'),
    outcome,
    from: from === undefined ? undefined : momentOf(from, '--from'),
    to: to === undefined ? undefined : momentOf(to, '--to'),
    limit: limitOf(textOf(input, 'limit')),
  }
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > most) throw misused(`--limit is a number from 1 to ${most}`)
  return limit
}
