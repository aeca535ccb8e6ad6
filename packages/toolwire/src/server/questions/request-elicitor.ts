// Questions as requests: the client is asked over the line of the call and answers while the handler waits.
import type { JsonObject } from '../../json.js'
import { ProtocolError, RpcError } from '../../jsonrpc/error.js'
import type { Conversation } from '../../peer/conversation.js'
import { QuestionTimeout } from '../../peer/outgoing-requests.js'
import type { ReplyChannel } from '../../peer/reply-channel.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import { Declined } from '../../tools/ask.js'
import { ToolError } from '../../tools/result.js'
import { Effects } from '../calls/effects.js'
import { type Elicitor, type InputRequest, maxQuestions, tooManyQuestions } from './elicitor.js'

type Route = {
  readonly conversation: Conversation
  readonly reply: ReplyChannel
  readonly signal: () => AbortSignal
  readonly timeoutMs: number
  /** The code that tells the client to open a page itself, where the edition has one. */
  readonly urlRequired: number | undefined
}

export class RequestElicitor implements Elicitor {
  readonly effects = new Effects()
  readonly #route: Route
  #asked = 0

  constructor(route: Route) {
    this.#route = route
  }

  async ask(key: string, question: InputRequest): Promise<JsonObject> {
    const { conversation, reply, signal, timeoutMs, urlRequired } = this.#route
    if (++this.#asked > maxQuestions) throw tooManyQuestions()
    if (!reply.twoWay) throw noReplyChannel(question, urlRequired)
    try {
      return await conversation.outgoing.ask(
        question.method,
        { ...question.params, _meta: { [metaKeys.question]: key } },
        { send: reply.send, signal: signal(), timeoutMs },
      )
    } catch (thrown) {
      throw noResponseError(thrown, question.method)
    }
  }

  again(key: string, question: InputRequest): Promise<JsonObject> {
    return this.ask(key, question)
  }
}

/** Why a request has no answer, in words for the model. */
export function noResponseError(thrown: unknown, method: string): unknown {
  if (thrown instanceof QuestionTimeout) return new ToolError(thrown.message)
  if (!(thrown instanceof RpcError)) return thrown
  // The user's refusal to let the model be asked is an error on the wire, and a no here.
  return thrown.code === -1
    ? new Declined('decline', method)
    : new ToolError(`The client could not answer ${method}: ${thrown.message}`)
}

/** Nothing can be sent to the client during this call; a page it can still be told to open, if its edition knows how. */
function noReplyChannel({ params }: InputRequest, urlRequired: number | undefined): Error {
  if (params.mode === 'url' && urlRequired !== undefined)
    return new ProtocolError(urlRequired, 'This tool needs you to visit a page first', { data: { elicitations: [params] } })
  return new ToolError('This tool has a question, but the client does not accept messages during a call')
}
