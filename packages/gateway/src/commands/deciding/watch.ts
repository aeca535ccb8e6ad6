import { apiOf } from '../api/api.js'
import { eventsOf } from '../api/events.js'
import { misused } from '../exit-codes.js'
import { Closed } from '../forms/prompts.js'
import type { Run } from '../spec.js'
import { jsonLine } from '../terminal/json-text.js'
import { put } from './put.js'
import { waitingLine } from './waiting-line.js'

export const run: Run = async (input, terminal) => {
  const api = apiOf(input)
  if (terminal.json) {
    for await (const { id, event, data } of eventsOf(api, input)) terminal.print(jsonLine({ id, event, data }))
    return undefined
  }
  if (!terminal.interactive)
    throw misused('Nobody can decide where there is no terminal; use toolwire pending, approve and deny, or --json')
  const ended = new AbortController()
  const { signal } = ended
  // Not AbortSignal.any, which may be collected as garbage, so that Ctrl-C is not heard. https://github.com/nodejs/node/issues/57736
  input.signal.addEventListener('abort', () => ended.abort(input.signal.reason), { once: true })
  try {
    for await (const { waiting, gone } of waitingLine(api, signal)) await put(waiting, { api, terminal, signal, gone })
  } catch (thrown) {
    if (!(thrown instanceof Closed)) throw thrown
  } finally {
    ended.abort()
  }
  return undefined
}
