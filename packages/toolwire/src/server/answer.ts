// The path of every request, on every transport, from request to response.
import { encodeJson, type JsonObject } from '../json.js'
import { codes, type ErrorObject, RpcError } from '../jsonrpc/error.js'
import { encodeErrorResponse, encodeId, type Id, type Request } from '../jsonrpc/message.js'
import type { Answer } from '../peer/application.js'
import type { Conversation } from '../peer/conversation.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import { encodeToolResult } from '../revisions/encode/encode-tool-result.js'
import { EnvelopeError } from '../revisions/revision-set.js'
import { Refusal } from '../tools/refusal.js'
import { errorResult, ToolError } from '../tools/result.js'
import type { App } from './app.js'
import { stampResult } from './cache-hints.js'
import { EncodedResult } from './lists/list-pages.js'
import { type Method, methodOf } from './methods.js'
import { reportFault } from './report-fault.js'
import { RequestContext } from './request-context.js'
import { exceedsBytes, tooLargeAdvice } from './result-size.js'

/** Outside the range that JSON-RPC and the protocol reserve; equal to the HTTP status. */
const tooMany = 429

/** Answers a request; undefined if it was cancelled meanwhile, because then nothing is sent. */
export function answer(app: App, request: Request, conversation: Conversation, reply: ReplyChannel): ReturnType<App['receive']> {
  const incoming = conversation.begin(request.id)
  if (!incoming)
    return errorAnswer(request.id, new RpcError(codes.invalidRequest, 'A request with this id is still being answered'))
  try {
    const x = new RequestContext(app, request, { conversation, reply, incoming })
    return runMethod(x, methodOf(x))
  } catch (thrown) {
    conversation.end(incoming)
    return errorAnswer(request.id, thrown)
  }
}

async function runMethod(x: RequestContext, method: Method): Promise<Answer | undefined> {
  const { incoming, request, conversation } = x
  const { turns } = x.app
  let entered = false
  try {
    if (!method.idle) {
      const turn = turns.enter(x, incoming)
      if (turn) {
        const start = performance.now()
        await turn
        incoming.waitedMs = performance.now() - start
      }
      entered = true
    }
    return incoming.cancelled ? undefined : encode(x, await method.answer(x))
  } catch (thrown) {
    if (incoming.cancelled) return undefined
    if (request.method === 'tools/call') x.app.refusedCalls.note(x, thrown)
    return errorAnswer(request.id, thrown)
  } finally {
    if (entered) turns.leave(x)
    conversation.end(incoming)
  }
}

function encode(x: RequestContext, result: JsonObject | EncodedResult): Answer | undefined {
  const { incoming, request, app, revision } = x
  if (incoming.cancelled) return undefined
  if (result instanceof EncodedResult) return { body: result.body(encodeId(request.id)) }
  const text = responseText(x, result)
  const { resultBytes } = app.settings.limits
  if (!exceedsBytes(text, resultBytes)) return { body: text }
  if (request.method === 'tools/call')
    return { body: responseText(x, encodeToolResult(errorResult(tooLargeAdvice(resultBytes)), revision)) }
  const why = `The answer to ${request.method} takes more than ${resultBytes} bytes (limits.resultBytes); ask for less`
  return errorAnswer(request.id, new RpcError(codes.internalError, why))
}

/** Written in one call, because a long text assembled from parts would be copied once more. */
function responseText({ request: { id, method }, app, revision }: RequestContext, said: JsonObject): string {
  const result = stampResult(said, method, app, { shared: false, revision })
  const response = { jsonrpc: '2.0', id, result }
  // Only an id may exceed 2^53. A bigint in a result is a mistake, for which JSON.stringify throws.
  return typeof id === 'bigint' ? encodeJson(response) : JSON.stringify(response)
}

/** The error that the peer may see. Any other error is logged under an id, and the peer gets the id. */
export function errorAnswer(id: Id | null | undefined, thrown: unknown): Answer {
  if (thrown instanceof Refusal) return refusalAnswer(id, thrown)
  const error = errorOf(thrown)
  let body: string
  try {
    body = encodeErrorResponse(id, error)
  } catch (cause) {
    return errorAnswer(id, new Error('The data of an error that a handler has thrown has no JSON form', { cause }))
  }
  // The scopes that the request needs, if the error reports a refusal for lack of scopes.
  const scopes = thrown instanceof RpcError && thrown.cause instanceof Refusal ? thrown.cause.scopes : undefined
  return {
    body,
    error: error.code,
    ...(thrown instanceof EnvelopeError && { malformed: true }),
    ...(scopes && { scopes }),
  }
}

function refusalAnswer(id: Id | null | undefined, { message, retryAfterMs, reason }: Refusal): Answer {
  if (reason !== 'busy' && reason !== 'rate-limited') {
    const code = reason === 'timed-out' ? codes.internalError : codes.invalidParams
    return { body: encodeErrorResponse(id, { code, message }), error: code }
  }
  const error = { code: tooMany, message, data: { retryAfterMs } }
  return { body: encodeErrorResponse(id, error), error: tooMany, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

function errorOf(thrown: unknown): ErrorObject {
  if (thrown instanceof RpcError) return RpcError.toWire(thrown)
  // Outside of tools there is no failed result for a handler's message, so it goes into the error.
  if (thrown instanceof ToolError) return { code: codes.internalError, message: thrown.message }
  return { code: codes.internalError, message: `Internal error ${reportFault('a request', thrown)}` }
}
