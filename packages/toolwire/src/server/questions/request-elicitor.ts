// Questions as requests: the client is asked over the reply channel of the call, and the handler waits.
import { LinkedAbortController } from '../../bounds/linked-abort-controller.js'
import type { JsonObject } from '../../json.js'
import { ProtocolError, RpcError } from '../../jsonrpc/error.js'
import { QuestionTimeout } from '../../peer/outgoing-requests.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import { Declined } from '../../tools/ask.js'
import { ToolError } from '../../tools/result.js'
import { Effects } from '../calls/effects.js'
import type { RequestContext } from '../request-context.js'
import { callEnded, type Elicitor, type InputRequest, maxQuestions, questionText, tooManyQuestions } from './elicitor.js'

export type RequestElicitor = Elicitor & {
  /** The handler runs from its start again. Questions that it asks in the same words keep their outcome and are not asked again. */
  beginRun(): void
  end(): void
}

type AskedQuestion = { readonly question: InputRequest; readonly answer: Promise<JsonObject> }

export function requestElicitor(x: RequestContext): RequestElicitor {
  const { reply, incoming, revision } = x
  const asked = new Map<string, AskedQuestion>()
  let earlier: ReadonlyMap<string, AskedQuestion> | undefined
  let count = 0
  const unlessEnded = new LinkedAbortController(incoming)
  const ask = async (key: string, question: InputRequest, again = false): Promise<JsonObject> => {
    const known = again ? undefined : earlier?.get(key)
    if (known && questionText(known.question) === questionText(question)) return known.answer
    if (++count > maxQuestions) throw tooManyQuestions()
    if (!reply.twoWay) throw noReplyChannel(question, revision.errors.urlRequired)
    const { method, params } = question
    const tagged = { method, params: { ...params, _meta: { [metaKeys.question]: key } } }
    const answer = askByRequest(x, tagged, { send: reply.send, signal: unlessEnded.signal })
    asked.set(key, { question, answer })
    return answer
  }
  const beginRun = () => {
    earlier = new Map(asked)
  }
  const end = () => {
    unlessEnded.abort(callEnded())
    unlessEnded.release()
  }
  return { effects: new Effects(), ask, sent: (key) => asked.get(key)?.question, beginRun, end }
}

type Route = { readonly send: (message: string) => void; readonly signal: AbortSignal }

/** Sends a question to the client; a missing answer becomes an error that the model can read. */
export async function askByRequest(x: RequestContext, { method, params }: InputRequest, route: Route): Promise<JsonObject> {
  const { conversation, app } = x
  try {
    return await conversation.outgoing.ask(method, params, { ...route, timeoutMs: app.settings.questionTimeoutMs })
  } catch (thrown) {
    if (thrown instanceof QuestionTimeout) throw new ToolError(thrown.message)
    if (!(thrown instanceof RpcError)) throw thrown
    // A user's refusal of sampling is an error with this code on the wire.
    if (thrown.code === -1) throw new Declined('decline', method)
    throw new ToolError(`The client could not answer ${method}: ${thrown.message}`)
  }
}

/** The error for a call without a way to the client. Some revisions have one that asks the client to open the page. */
function noReplyChannel({ params }: InputRequest, urlRequired: number | undefined): Error {
  if (params.mode === 'url' && urlRequired !== undefined)
    return new ProtocolError(urlRequired, 'This tool needs you to visit a page first', { data: { elicitations: [params] } })
  return new ToolError('This tool has a question, but the client does not accept messages during a call')
}
