import type { CallOptions } from '../client/client.js'
import type { PooledTool } from '../client/pool.js'
import { isObject, type Json, JsonError, type JsonObject, parseJson } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import { cleanText } from '../text/clean-text.js'
import { capped } from '../text/cut.js'
import { nearest } from '../text/nearest.js'
import type { CallResult } from '../tools/call-result.js'
import { describeFailure } from './describe-failure.js'
import type { ModelCall, OfferedTool } from './provider.js'
import { failureOutcome, type ModelOutcome } from './result/model-outcome.js'
import { type ReadOptions, readOutcome } from './result/read-outcome.js'

const most = 3

/** Suggests tools for an unknown name: those with the same end, and those with a similar spelling. */
function nearNames(name: string, aliases: readonly string[]): string[] {
  const bare = afterPrefix(name)
  const same = aliases.filter((alias) => bare !== '' && (alias.endsWith(bare) || name.endsWith(afterPrefix(alias))))
  const slip = nearest(bare, aliases.map(afterPrefix))
  const close = [nearest(name, aliases), aliases.find((alias) => afterPrefix(alias) === slip)]
  return [...new Set([...same, ...close.filter((alias) => alias !== undefined)])].slice(0, most)
}

const afterPrefix = (alias: string) => alias.slice(alias.indexOf('__') + (alias.includes('__') ? 2 : 1))

/** The source of a toolkit: a pool of clients, or anything else that lists tools and calls them by alias. */
export interface Callable {
  listTools(): Promise<readonly PooledTool[]>
  call(alias: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
}

export type AnswerContext = {
  readonly pool: Callable
  readonly offered: ReadonlyMap<string, OfferedTool>
  readonly reading: ReadOptions
  readonly protocolErrors: 'summary' | 'message' | 'throw'
  readonly onError: (thrown: unknown, call: ModelCall) => void
}

/** Answers one call. It throws only protocol errors, and only if `protocolErrors` is `throw`. */
export async function answerCall(call: ModelCall, context: AnswerContext, options: CallOptions): Promise<ModelOutcome> {
  const { alias } = call
  const tool = context.offered.get(alias)
  if (!tool) return unknownTool(alias, [...context.offered.keys()])
  const args = readArguments(call.args)
  if (typeof args === 'string') return failureOutcome(`${alias} was not called. ${args}`)
  if (options.signal?.aborted) return failureOutcome(`${alias} was not called: the user or the program has cancelled the call.`)
  try {
    return readOutcome(await context.pool.call(alias, tool.lowered.restore(args), options), tool.pooled, context.reading)
  } catch (thrown) {
    if (thrown instanceof RpcError && context.protocolErrors === 'throw') throw thrown
    const outcome = describeFailure(thrown, tool.pooled, context)
    if (outcome) return outcome
    context.onError(thrown, call)
    // The outcome is unknown, and the message may reveal internals of this program.
    return failureOutcome(`The call to ${alias} failed inside this program. Do not assume that the call did or did not happen.`)
  }
}

function unknownTool(alias: string, known: readonly string[]): ModelOutcome {
  const near = nearNames(alias, known)
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return failureOutcome(`There is no tool ${JSON.stringify(capped(cleanText(alias), 64))}; nothing was called.${hint}`)
}

/** Reads a model's arguments: an object, JSON text of one, or nothing. Returns a message to the model if they are invalid. */
export function readArguments(given: unknown): JsonObject | string {
  if (given === undefined || given === null || given === '') return {}
  try {
    // A value that a provider's client has parsed is JSON already.
    const value = typeof given === 'string' ? parseJson(given) : (given as Json)
    return isObject(value) ? value : 'The arguments must be a JSON object.'
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    const why = thrown.code === 'syntax' ? '' : `: ${thrown.message}`
    return `The arguments are not valid JSON${why}. Write them again.`
  }
}
