import { apiClientOf } from '../api/api-client.js'
import { watchEvents } from '../api/watch-events.js'
import { type RunCommand, usageProblem } from '../command.js'
import { PromptClosed } from '../forms/prompts.js'
import { visibleJsonLine } from '../terminal/visible-text.js'
import { askDecision } from './ask-decision.js'
import { watchPending } from './watch-pending.js'

export const run: RunCommand = async (input, terminal) => {
  const api = apiClientOf(input)
  if (terminal.json) {
    for await (const { id, event, data } of watchEvents(api, input)) terminal.print(visibleJsonLine({ id, event, data }))
    return undefined
  }
  if (!terminal.interactive) throw usageProblem('watch needs a terminal. Use toolwire pending, approve and deny, or --json')
  const ended = new AbortController()
  const { signal } = ended
  // AbortSignal.any may be garbage-collected, and Ctrl-C would then be ignored. https://github.com/nodejs/node/issues/57736
  input.signal.addEventListener('abort', () => ended.abort(input.signal.reason), { once: true })
  try {
    for await (const { waiting, gone } of watchPending(api, signal)) await askDecision(waiting, { api, terminal, signal, gone })
  } catch (thrown) {
    if (!(thrown instanceof PromptClosed)) throw thrown
  } finally {
    ended.abort()
  }
}
