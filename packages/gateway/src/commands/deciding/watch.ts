import { apiClientOf } from '../api/api.js'
import { watchEvents } from '../api/events.js'
import { usageProblem } from '../exit-codes.js'
import { PromptClosed } from '../forms/prompts.js'
import type { RunCommand } from '../spec.js'
import { visibleJsonLine } from '../terminal/json-text.js'
import { askDecision } from './put.js'
import { watchPending } from './waiting-line.js'

export const run: RunCommand = async (input, terminal) => {
  const api = apiClientOf(input)
  if (terminal.json) {
    for await (const { id, event, data } of watchEvents(api, input)) terminal.print(visibleJsonLine({ id, event, data }))
    return undefined
  }
  if (!terminal.interactive)
    throw usageProblem('Nobody can decide where there is no terminal; use toolwire pending, approve and deny, or --json')
  const ended = new AbortController()
  const { signal } = ended
  // Not AbortSignal.any, which may be collected as garbage, so that Ctrl-C is not heard. https://github.com/nodejs/node/issues/57736
  input.signal.addEventListener('abort', () => ended.abort(input.signal.reason), { once: true })
  try {
    for await (const { waiting, gone } of watchPending(api, signal)) await askDecision(waiting, { api, terminal, signal, gone })
  } catch (thrown) {
    if (!(thrown instanceof PromptClosed)) throw thrown
  } finally {
    ended.abort()
  }
  return undefined
}
