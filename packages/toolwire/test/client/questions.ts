// Sends one question to a client in the format of the revision: as a request, or inside a result.
import type { ConnectOptions } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { connectScripted, plainTool, type Script, type ScriptedSession, textResult, toolsPage } from './scripted.js'

export const modern = '2026-07-28'

export type Question = { readonly method: string; readonly params?: JsonObject }
/** The answer that the server receives, and the outcome of the call that asked. */
export type QuestionOutcome = ScriptedSession & {
  readonly result: JsonObject | undefined
  readonly error: { readonly code: number; readonly message: string } | undefined
  readonly failure: unknown
}

/** A server whose only tool asks this question before it returns. */
export function askingScript(revision: string, { method, params }: Question, onResponse: (response: JsonObject) => void): Script {
  const request = { method, ...(params && { params }) }
  return {
    'tools/list': toolsPage([plainTool('ask')]),
    'tools/call': async ({ params: given }, server) => {
      if (revision !== modern) onResponse(await server.ask('question', method, params))
      else if (!given.inputResponses) return { resultType: 'input_required', inputRequests: { question: request } }
      else onResponse({ result: (given.inputResponses as JsonObject).question as JsonObject })
      return textResult('done')
    },
  }
}

export async function askClient(
  revision: string,
  question: Question,
  options: ConnectOptions = {},
  more: { lenient?: boolean } = {},
): Promise<QuestionOutcome> {
  let response: JsonObject = {}
  const script = askingScript(revision, question, (received) => {
    response = received
  })
  const made = await connectScripted(script, { revision, options, ...more })
  const failure = await made.client.call('ask').then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const { result, error } = response as unknown as Pick<QuestionOutcome, 'result' | 'error'>
  return { ...made, result, error, failure }
}
