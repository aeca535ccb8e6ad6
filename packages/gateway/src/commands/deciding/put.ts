import type { Api } from '../api/api.js'
import { promptsHere } from '../forms/prompts.js'
import type { Terminal } from '../terminal/terminal.js'
import { told } from '../told.js'
import { decide, shown, type Waiting } from './waiting.js'

type Putting = {
  readonly api: Api
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** Aborted when the call waits no longer, or nobody watches any more. */
  readonly gone: AbortSignal
}

/** Shows a waiting call whole, and takes a typed yes, or a no with a reason. Whatever else is typed decides nothing. */
export async function put(waiting: Waiting, { api, terminal, signal, gone }: Putting): Promise<void> {
  process.stderr.write(`\n${shown(waiting, terminal)}\n`)
  const typed = await typedAnswer(gone, signal)
  if (typed === undefined) return terminal.say('It waits no longer: it was decided elsewhere, or given up')
  const decision = decisionIn(typed)
  if (decision === undefined || decision === 'unclear') return terminal.say('Left waiting; toolwire pending shows it')
  try {
    await decide(api, waiting, decision)
    terminal.say(decision.decision === 'allow' ? 'Allowed' : 'Denied')
  } catch (thrown) {
    terminal.fail(told(thrown).message)
  }
}

/** Undefined where there is nothing to answer any more. */
async function typedAnswer(gone: AbortSignal, signal: AbortSignal): Promise<string | undefined> {
  const prompts = await promptsHere(gone)
  try {
    return await prompts.type({
      message: 'yes allows it this once, no [reason] denies it, Enter leaves it waiting',
      check: (text) => (decisionIn(text) === 'unclear' ? 'Type yes, no, no and a reason, or nothing' : undefined),
    })
  } catch (thrown) {
    if (gone.aborted && !signal.aborted) return undefined
    throw thrown
  }
}

/** What was typed, if it is clear. A key that was hit too early is no yes. */
export function decisionIn(typed: string): { decision: 'allow' } | { decision: 'deny'; reason?: string } | 'unclear' | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (text === 'yes') return { decision: 'allow' }
  const { 1: reason } = /^no(?:\s+(.*))?$/s.exec(text) ?? []
  if (!/^no(\s|$)/.test(text)) return 'unclear'
  return reason ? { decision: 'deny', reason } : { decision: 'deny' }
}
