// Tells a model in plain words what happened to a call without a result, and what to do about it.
import { CallFailure, type CallFailureCode, InvalidArguments, InvalidResult } from '../client/errors.js'
import type { PooledTool } from '../client/pool.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { cleanText } from '../text/clean-text.js'
import { capped, cut } from '../text/cut.js'
import { ToolCallError } from '../tools/call-result.js'
import { type Reason, Refusal } from '../tools/refusal.js'
import { fenced } from './result/fence.js'
import { failureOutcome, type ModelOutcome, outcomeText, textPart } from './result/model-outcome.js'
import { type ReadOptions, readOutcome } from './result/read-outcome.js'

const longestMessage = 2_000

type FailureDetail = { readonly reading: ReadOptions; readonly protocolErrors: 'summary' | 'message' | 'throw' }

/** Describes a failure to the model; undefined for unforeseen errors. */
export function describeFailure(thrown: unknown, tool: PooledTool, detail: FailureDetail): ModelOutcome | undefined {
  if (thrown instanceof InvalidArguments && thrown.foundBy === 'client') return ownWords(thrown.result.content, tool)
  if (thrown instanceof InvalidResult) return failureOutcome(invalidResultWords(tool.alias))
  if (thrown instanceof ToolCallError) return { ...readOutcome(thrown.result, tool, detail.reading), isError: true }
  if (thrown instanceof Refusal) return refused(thrown, tool)
  if (thrown instanceof CallFailure) return failureOutcome(withWait(failures[thrown.code](tool.alias), thrown.retryAfterMs))
  if (thrown instanceof RpcError) return protocolError(thrown, tool, detail)
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') return failureOutcome(failures.timed_out(tool.alias))
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return failureOutcome(failures.cancelled(tool.alias))
  return undefined
}

/** Uses this side's message, because the fault was found before anything was sent. */
function ownWords(content: ToolCallError['result']['content'], { alias, tool }: PooledTool): ModelOutcome {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  // Only the opening holds the server's name for the tool. Elsewhere the same word is part of the schema.
  const opening = 'Invalid arguments for'
  return failureOutcome(cleanText(text.replace(`${opening} ${tool.name}:`, () => `${opening} ${alias}:`)))
}

/** Adds the policy's message, which says more, such as a person's reason to refuse. */
function refused({ reason, message, retryAfterMs }: Refusal, { alias, tool }: PooledTool): ModelOutcome {
  // The server's name for the tool is replaced, because it could speak to the model.
  const words = capped(cleanText(message.replaceAll(tool.name, alias)), longestMessage)
  return failureOutcome(withWait(`${refusals[reason](alias)} (${words})`, retryAfterMs))
}

type Words = (alias: string) => string

const invalidResultWords: Words = (alias) =>
  `${alias} was called, but its result does not fit its output schema, so the result is not shown. ` +
  'The call has probably taken effect.'

const refusals: Readonly<Record<Reason, Words>> = {
  'not-approved': (alias) =>
    `${alias} was not called: the call was not approved. Do not retry unless the user asks for it, or is still to decide elsewhere. Continue without the call, or ask the user.`,
  forbidden: (alias) => `${alias} was not called: the tool is not allowed here.`,
  'unknown-tool': (alias) => `${alias} was not called: there is no such tool any more.`,
  'invalid-arguments': (alias) => `${alias} was not called: its arguments were refused.`,
  'rate-limited': (alias) => `${alias} was not called: the rate limit is exceeded.`,
  busy: (alias) => `${alias} was not called: too many calls are running at the moment.`,
  'timed-out': (alias) => `${alias} timed out and was cancelled. There is no result, but parts of its work may have been done.`,
  'definition-changed': (alias) =>
    `${alias} was not called: its server has changed its definition, and the change is not accepted yet. Tell the user.`,
  'unsafe-result': (alias) =>
    `${alias} was called, but its result is withheld because it is not safe to read. Do not call the tool again.`,
  unrecorded: (alias) =>
    `The call to ${alias} could not be recorded in the audit log, so there is no result. Do not assume that the call did or did not happen.`,
}

const failures: Readonly<Record<CallFailureCode, Words>> = {
  outcome_unknown: (alias) =>
    `The outcome of the call to ${alias} is unknown: no answer came. ` +
    'Do not assume that the call did or did not happen. Check before you retry, or ask the user.',
  timed_out: (alias) => `${alias} did not answer in time. There is no result.`,
  cancelled: (alias) => `The call to ${alias} was cancelled before an answer came. There is no result.`,
  disconnected: (alias) => `${alias} cannot be reached: there is no connection to its server. There is no result.`,
  bad_response: (alias) => `The server of ${alias} sent an invalid response. There is no result.`,
  not_offered: (alias) => `${alias} is not offered by its server any more.`,
  turned_away: (alias) => `${alias} was not called: its server denied access. The user may have to log in.`,
  limit: (alias) => `The call to ${alias} was abandoned: it exceeded a limit of this client. There is no result.`,
  no_common_revision: (alias) => `${alias} cannot be called: its server and this client have no protocol revision in common.`,
  closed: (alias) => `${alias} cannot be called: the connection to its server has been closed.`,
}

const withWait = (text: string, retryAfterMs: number | undefined): string =>
  retryAfterMs === undefined ? text : `${text} It may work again in ${Math.ceil(retryAfterMs / 1000)} s.`

const meanings: Readonly<Record<number, string>> = {
  [codes.invalidParams]: 'it does not know the tool or does not accept the arguments',
  [codes.methodNotFound]: 'it does not offer tools',
  [codes.invalidRequest]: 'it did not understand the request',
  [codes.parseError]: 'it did not understand the request',
}

function protocolError({ code, message }: RpcError, tool: PooledTool, { reading, protocolErrors }: FailureDetail): ModelOutcome {
  const summary = `${tool.alias} gave no result: its server refused the call (${meanings[code] ?? 'error'}; code ${code}).`
  if (protocolErrors !== 'message') return failureOutcome(summary)
  const words = [textPart(capped(cleanText(cut(message, longestMessage * 2)), longestMessage))]
  return failureOutcome(`${summary}\n${outcomeText({ isError: true, parts: reading.fence(tool) ? fenced(words, tool) : words })}`)
}
