// Tells a model in plain words what happened to a call without a result, and what to do about it.
import { CallFailure, type CallFailureCode, InvalidArguments, InvalidResult } from '../client/errors.js'
import type { PooledTool } from '../client/pool.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { cleanText } from '../text/clean-text.js'
import { capped } from '../text/cut.js'
import { ToolCallError } from '../tools/call-result.js'
import { type Reason, Refusal } from '../tools/refusal.js'
import { fenced } from './result/fence.js'
import { failureOutcome, type ModelOutcome, outcomeText, textPart } from './result/model-outcome.js'
import { type ReadOptions, readOutcome } from './result/read-outcome.js'

const longestMessage = 2_000

type FailureDetail = { readonly reading: ReadOptions; readonly protocolErrors: 'summary' | 'message' | 'throw' }

/** Describes a failure to the model; undefined for unforeseen errors. */
export function describeFailure(thrown: unknown, tool: PooledTool, telling: FailureDetail): ModelOutcome | undefined {
  if (thrown instanceof InvalidArguments && thrown.foundBy === 'client') return ownWords(thrown.result.content)
  if (thrown instanceof InvalidResult) return failureOutcome(invalidResultWords(tool.alias))
  if (thrown instanceof ToolCallError) return { ...readOutcome(thrown.result, tool, telling.reading), isError: true }
  if (thrown instanceof Refusal) return refused(thrown, tool)
  if (thrown instanceof CallFailure) return failureOutcome(withWait(failures[thrown.code](tool.alias), thrown.retryAfterMs))
  if (thrown instanceof RpcError) return protocolError(thrown, tool, telling)
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') return failureOutcome(failures.timed_out(tool.alias))
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return failureOutcome(failures.cancelled(tool.alias))
  return undefined
}

/** Uses this side's message, because the fault was found before anything was sent. */
const ownWords = (content: ToolCallError['result']['content']): ModelOutcome =>
  failureOutcome(content.map((block) => (block.type === 'text' ? cleanText(block.text) : '')).join('\n'))

/** Adds the policy's message, which says more, such as a person's reason to refuse. */
function refused({ reason, message, retryAfterMs }: Refusal, { alias, tool }: PooledTool): ModelOutcome {
  // The server's name for the tool is replaced, because it could speak to the model.
  const words = capped(cleanText(message.replaceAll(tool.name, alias)), longestMessage)
  return failureOutcome(withWait(`${refusals[reason](alias)} (${words})`, retryAfterMs))
}

type Words = (alias: string) => string

const invalidResultWords: Words = (alias) =>
  `${alias} was called and answered, but its answer does not have the form it promises, so it is not shown. ` +
  'The call has probably taken effect.'

const refusals: Readonly<Record<Reason, Words>> = {
  'not-approved': (alias) =>
    `${alias} was not called: nobody approved it. Do not try again unless the user asks for it, or was asked to decide elsewhere; go on without it or ask them.`,
  forbidden: (alias) => `${alias} was not called: it is not allowed here.`,
  'unknown-tool': (alias) => `${alias} was not called: there is no such tool any more.`,
  'invalid-arguments': (alias) => `${alias} was not called: its arguments were refused.`,
  'rate-limited': (alias) => `${alias} was not called: it has been called too often.`,
  busy: (alias) => `${alias} was not called: too much is going on at the moment.`,
  'timed-out': (alias) => `${alias} ran out of time and was stopped. There is no result; parts of its work may have been done.`,
  'definition-changed': (alias) =>
    `${alias} was not called: its server has changed what it says the tool is, and nobody has accepted that yet. Tell the person.`,
  'unsafe-result': (alias) =>
    `${alias} was called, but its result is withheld because it is not safe to read. Do not call it again.`,
  unrecorded: (alias) =>
    `The call to ${alias} could not be recorded, so there is no result. Do not assume that it did or did not happen.`,
}

const failures: Readonly<Record<CallFailureCode, Words>> = {
  outcome_unknown: (alias) =>
    `It is not known what became of the call to ${alias}: no answer came. ` +
    'Do not assume that it did or did not happen. Find out before you try again, or ask the person.',
  timed_out: (alias) => `${alias} did not answer in time. There is no result.`,
  cancelled: (alias) => `The call to ${alias} was cancelled before an answer came. There is no result.`,
  disconnected: (alias) => `${alias} cannot be reached: there is no connection to its server. There is no result.`,
  bad_response: (alias) => `${alias} answered something that cannot be understood. There is no result.`,
  not_offered: (alias) => `${alias} is not offered by its server any more.`,
  turned_away: (alias) => `${alias} was not carried out: its server does not let us. The person may have to sign in.`,
  limit: (alias) => `The call to ${alias} was given up: it went beyond what is taken from its server. There is no result.`,
  no_common_revision: (alias) => `${alias} cannot be called: its server speaks no version of the protocol that is known here.`,
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
  const words = [textPart(capped(cleanText(message), longestMessage))]
  return failureOutcome(`${summary}\n${outcomeText({ isError: true, parts: reading.fence(tool) ? fenced(words, tool) : words })}`)
}
