import type { Progress } from '../client/client.js'
import { isObject, type Json, JsonError, type JsonObject, parseJson } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import { cleanText } from '../text/clean-text.js'
import { capped } from '../text/cut.js'
import { nearest } from '../text/nearest.js'
import type { CallResult } from '../tools/call-result.js'
import type { Callable } from './callable.js'
import { describeFailure, type FailureDetail } from './describe-failure.js'
import type { ModelCall, OfferedTool } from './provider.js'
import { failureOutcome, type ModelOutcome } from './result/model-outcome.js'
import { type ReadOptions, readOutcome } from './result/read-outcome.js'

const most = 3

/** Which tools a model may have meant by a name that none has: those it is the end or the beginning of, or a slip away from. */
function nearNames(name: string, aliases: readonly string[]): string[] {
  const bare = afterPrefix(name)
  const same = aliases.filter((alias) => bare !== '' && (alias.endsWith(bare) || name.endsWith(afterPrefix(alias))))
  const slip = nearest(bare, aliases.map(afterPrefix))
  const close = [nearest(name, aliases), aliases.find((alias) => afterPrefix(alias) === slip)]
  return [...new Set([...same, ...close.filter((alias) => alias !== undefined)])].slice(0, most)
}

const afterPrefix = (alias: string) => alias.slice(alias.indexOf('__') + (alias.includes('__') ? 2 : 1))

/** What answering needs: the tools by alias, who calls them, and how results and failures are told. */
export type AnswerContext = {
  readonly pool: Callable
  readonly offered: ReadonlyMap<string, OfferedTool>
  readonly reading: ReadOptions
  readonly protocolErrors: 'summary' | 'message' | 'throw'
  readonly onError: (thrown: unknown, call: ModelCall) => void
}
type AnswerOptions = {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Answers one call. It throws only an error of the protocol, and only if that was asked for. */
export async function answerCall(
  call: ModelCall,
  answerContext: AnswerContext,
  answerOptions: AnswerOptions,
): Promise<ModelOutcome> {
  const tool = answerContext.offered.get(call.alias)
  if (!tool) return unknownTool(call.alias, [...answerContext.offered.keys()])
  const { args, fault } = readArguments(call.args)
  if (fault !== undefined) return failureOutcome(`${call.alias} was not called. ${fault}`)
  if (answerOptions.signal?.aborted)
    return failureOutcome(`${call.alias} was not called: the person or the program has cancelled it.`)
  try {
    const result = await answerContext.pool.call(call.alias, tool.lowered.restore(args), callOptions(answerOptions))
    return readResult(result, tool, answerContext)
  } catch (thrown) {
    return afterFailure(thrown, { call, tool }, answerContext)
  }
}

const callOptions = ({ signal, onProgress }: AnswerOptions) => ({ ...(signal && { signal }), ...(onProgress && { onProgress }) })

const readResult = (result: CallResult, { pooled }: OfferedTool, { reading }: AnswerContext): ModelOutcome =>
  readOutcome(result, pooled, reading)

function afterFailure(
  thrown: unknown,
  { call, tool }: { call: ModelCall; tool: OfferedTool },
  answerContext: AnswerContext,
): ModelOutcome {
  if (thrown instanceof RpcError && answerContext.protocolErrors === 'throw') throw thrown
  const telling: FailureDetail = {
    reading: answerContext.reading,
    protocolErrors: answerContext.protocolErrors === 'message' ? 'message' : 'summary',
  }
  const told = describeFailure(thrown, tool.pooled, telling)
  if (told) return told
  answerContext.onError(thrown, call)
  // Nobody knows how far it got, and its message may be about this program's inside.
  return failureOutcome(`The call to ${call.alias} failed inside this program. Do not assume that it did or did not happen.`)
}

function unknownTool(alias: string, known: readonly string[]): ModelOutcome {
  const near = nearNames(alias, known)
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return failureOutcome(`There is no tool ${JSON.stringify(capped(cleanText(alias), 64))}; nothing was called.${hint}`)
}

/** The arguments of a call, or what the model should know about why they cannot be used. */
type ReadArguments =
  | { readonly args: JsonObject; readonly fault?: undefined }
  | { readonly args?: undefined; readonly fault: string }

/** Reads arguments as a model gave them: an object, or JSON text of one. Nothing at all is no arguments. */
export function readArguments(given: unknown): ReadArguments {
  if (given === undefined || given === null || given === '') return { args: {} }
  try {
    // What a provider's client has parsed is JSON already.
    const value = typeof given === 'string' ? parseJson(given) : (given as Json)
    return isObject(value) ? { args: value } : { fault: 'The arguments must be a JSON object.' }
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    return { fault: `The arguments are not valid JSON: ${thrown.message}. Write them again.` }
  }
}
