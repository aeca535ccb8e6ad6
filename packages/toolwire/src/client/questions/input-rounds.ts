// Sends requests that may come back with questions: the questions are answered, and the same request is sent again.
// spec 2026-07-28, basic/patterns/mrtr

import { backoff } from '../../bounds/backoff.js'
import { abortSignalOf, type CancelToken } from '../../bounds/cancel-token.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import type { Revision } from '../../revisions/revision.js'
import { printableName } from '../../text/printable-name.js'
import { cancelled } from '../connection/call-failures.js'
import type { Connection } from '../connection/connection.js'
import type { SendOptions } from '../connection/session.js'
import { CallFailure } from '../errors.js'
import { pause, waitFor } from '../wait-for.js'
import type { ElicitationHandler } from './elicitation-handler.js'

export type InputContext = { readonly connection: Connection; readonly elicitationHandler: ElicitationHandler }
type Question = { readonly method: string; readonly params: JsonObject }

/** The request, with its first result and time of sending if it has been sent already. */
type InputRequest = { method: string; params: JsonObject | undefined; begun?: { result: JsonObject; sentAt: number } }

/** Returns the final result, after as many rounds of questions as the server needs and `limits.rounds` allows, and the time left then. */
export async function requestWithInput(context: InputContext, request: InputRequest, sending: SendOptions) {
  const { connection, elicitationHandler } = context
  const { method, params, begun } = request
  const { rounds: most, totalMs: usual } = connection.limits
  const { signal, scope } = sending
  let leftMs = sending.totalMs ?? usual
  let sentAt = begun?.sentAt ?? performance.now()
  let result = begun?.result ?? (await connection.request(method, params, sending))
  for (let round = 0; round <= most; round++) {
    leftMs -= performance.now() - sentAt
    if (isCompleteResult(result, method, connection.revisionOf(result))) return { result, rounds: round, leftMs }
    if (round === most) break
    const more = await nextRound(result, {
      method,
      elicitationHandler: scope?.elicitationHandler ?? elicitationHandler,
      connection,
      signal,
    })
    // The time that a person takes does not count towards `totalMs`; a pause that the server wants does.
    if (!more.inputResponses) {
      const pauseMs = Math.min(backoff(round, Math.random, retryTimes), leftMs)
      await pause(pauseMs, signal, method)
      leftMs -= pauseMs
    }
    if (leftMs <= 0) throw new CallFailure('timed_out', `${method} had no result in time (totalMs)`)
    sentAt = performance.now()
    result = await connection.request(method, { ...params, ...more }, { ...sending, totalMs: leftMs })
  }
  throw new CallFailure('limit', `${method} still asks after ${most} rounds of questions (limits.rounds)`)
}

/** Returns true if the result asks nothing; throws if its kind is unknown. */
export function isCompleteResult({ resultType = 'complete' }: JsonObject, method: string, { stamp }: Revision): boolean {
  if (!stamp.resultType) return true
  if (resultType === 'input_required') return false
  if (resultType === 'complete' || (resultType === 'task' && method === 'tools/call')) return true
  const kind = printableName(JSON.stringify(resultType))
  throw new CallFailure('bad_response', `The result of ${method} has the unknown resultType ${kind}`)
}

type Round = { readonly method: string; readonly signal: CancelToken | undefined } & InputContext

/** Returns what the repeated request carries: the answers by key, and the server's state exactly as it came. */
async function nextRound({ inputRequests, requestState }: JsonObject, to: Round): Promise<JsonObject> {
  const questions = inputRequestsIn(inputRequests, to.method)
  if (questions.length === 0 && requestState === undefined)
    throw new CallFailure(
      'bad_response',
      `${to.method} was answered with input_required, but without questions or a requestState. Retries would never end`,
    )
  if (questions.length > to.connection.limits.rounds * 10)
    throw new CallFailure('limit', `${to.method} asked more questions at once than limits.rounds allows`)
  const inputResponses = await inputResponsesTo(questions, to)
  return { ...(questions.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) }
}

export function inputRequestsIn(requests: Json | undefined, about: string): [string, Question][] {
  if (requests === undefined) return []
  if (!isObject(requests)) throw malformed(about)
  return Object.entries(requests).map(([key, request]) => {
    if (!isObject(request) || typeof request.method !== 'string') throw malformed(about)
    return [key, { method: request.method, params: isObject(request.params) ? request.params : {} }]
  })
}

const malformed = (about: string) => new CallFailure('bad_response', `The server sent malformed inputRequests for ${about}`)

/** Asks one question after the other, because a person reads one at a time, unless the handler takes all at once. */
export async function inputResponsesTo(questions: readonly [string, Question][], to: Round): Promise<JsonObject> {
  if (to.elicitationHandler.atOnce)
    return Object.fromEntries(await Promise.all(questions.map((question) => answerTo(question, to))))
  const answers: [string, JsonObject][] = []
  for (const question of questions) answers.push(await answerTo(question, to))
  return Object.fromEntries(answers)
}

async function answerTo([key, question]: [string, Question], to: Round): Promise<[string, JsonObject]> {
  const { method, elicitationHandler, connection, signal } = to
  if (signal?.aborted) throw cancelled(method, signal.reason)
  const about = { revision: connection.revision, signal: signal ? abortSignalOf(signal) : new AbortController().signal, key }
  const asked = elicitationHandler.answer(question.method, question.params, about)
  const answer = await waitFor(asked, { signal }, method).catch((thrown) => {
    if (!(thrown instanceof RpcError)) throw thrown
    // The protocol has no way to refuse these questions, so the request is not sent again.
    const code = thrown.code === -1 ? 'cancelled' : 'bad_response'
    throw new UnanswerableInput(code, `${method} needs an answer that this client cannot give: ${thrown.message}`, {
      cause: thrown,
    })
  })
  return [key, answer]
}

/** A question that cannot be answered, so that the request cannot go on. */
export class UnanswerableInput extends CallFailure {}

/** Growing pauses for a server that asks nothing and only wants the request to be sent again. */
const retryTimes = { firstMs: 100, growth: 2, longestMs: 5_000 }
