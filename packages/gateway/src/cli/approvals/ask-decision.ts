import type { JsonObject } from 'toolwire'
import type { ApiClient } from '../api/api-client.js'
import { errorReportOf } from '../error-report.js'
import { terminalPrompts } from '../forms/prompts.js'
import type { Terminal } from '../terminal/terminal.js'
import { sendDecision, showApproval } from './pending-approval.js'

/** `gone` is aborted when the call is no longer pending, or when watching ends. */
type AskContext = Readonly<{ api: ApiClient; terminal: Terminal; signal: AbortSignal; gone: AbortSignal }>

/** Shows a pending call in full, and reads a typed yes, or a no with a reason. Any other input decides nothing. */
export async function askDecision(waiting: JsonObject, { api, terminal, signal, gone }: AskContext): Promise<void> {
  process.stderr.write(`\n${showApproval(waiting, terminal)}\n`)
  const typed = await typedAnswer(gone, signal)
  if (typed === undefined) return terminal.say('It is no longer pending: it was decided elsewhere or abandoned')
  const decision = parseDecision(typed)
  if (decision === undefined || decision === 'unclear') return terminal.say('It stays pending. toolwire pending shows it')
  try {
    await sendDecision(api, waiting, decision)
    terminal.say(decision.decision === 'allow' ? 'Allowed' : 'Denied')
  } catch (thrown) {
    terminal.fail(errorReportOf(thrown).message)
  }
}

/** Undefined if the call is no longer pending. */
async function typedAnswer(gone: AbortSignal, signal: AbortSignal): Promise<string | undefined> {
  const prompts = await terminalPrompts(gone)
  const message = 'yes approves it once, no [reason] denies it, Enter leaves it pending'
  const hint = 'Type yes, or no with an optional reason, or press Enter'
  const check = (text: string) => (parseDecision(text) === 'unclear' ? hint : undefined)
  return prompts.type({ message, check }).catch((thrown: unknown) => {
    if (gone.aborted && !signal.aborted) return undefined
    throw thrown
  })
}

/** Parses a decision. Only a whole "yes" approves, so that a key pressed too early does not. */
export function parseDecision(
  typed: string,
): { decision: 'allow' } | { decision: 'deny'; reason?: string } | 'unclear' | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (text === 'yes') return { decision: 'allow' }
  const { 1: reason } = /^no(?:\s+(.*))?$/s.exec(text) ?? []
  if (!/^no(\s|$)/.test(text)) return 'unclear'
  return reason ? { decision: 'deny', reason } : { decision: 'deny' }
}
