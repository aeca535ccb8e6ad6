import type { Progress } from '../client/client.js'
import { RpcError } from '../jsonrpc/error.js'
import { cleanText } from '../text/clean-text.js'
import { capped } from '../text/cut.js'
import type { CallResult } from '../tools/call-result.js'
import type { Callable } from './callable.js'
import { describeFailure, type FailureDetail } from './describe-failure.js'
import { nearNames } from './near-names.js'
import type { ModelCall, OfferedTool } from './provider.js'
import { readArguments } from './read-arguments.js'
import { failureOutcome, type ModelOutcome } from './result/model-outcome.js'
import { type ReadOptions, readOutcome } from './result/read-outcome.js'

/** What answering needs: the tools by alias, who calls them, and how results and failures are told. */
export type AnswerContext = {
  readonly pool: Callable
  readonly offered: ReadonlyMap<string, OfferedTool>
  readonly reading: ReadOptions
  readonly protocolErrors: 'summary' | 'message' | 'throw'
  readonly onError: (thrown: unknown, call: ModelCall) => void
}
export type AnswerOptions = {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Answers one call. It throws only an error of the protocol, and only if that was asked for. */
export async function answerCall(call: ModelCall, desk: AnswerContext, terms: AnswerOptions): Promise<ModelOutcome> {
  const tool = desk.offered.get(call.alias)
  if (!tool) return unknownTool(call.alias, [...desk.offered.keys()])
  const { args, fault } = readArguments(call.args)
  if (fault !== undefined) return failureOutcome(`${call.alias} was not called. ${fault}`)
  if (terms.signal?.aborted) return failureOutcome(`${call.alias} was not called: the person or the program has cancelled it.`)
  try {
    const result = await desk.pool.call(call.alias, tool.lowered.restore(args), callOptions(terms))
    return readResult(result, tool, desk)
  } catch (thrown) {
    return afterFailure(thrown, { call, tool }, desk)
  }
}

const callOptions = ({ signal, onProgress }: AnswerOptions) => ({ ...(signal && { signal }), ...(onProgress && { onProgress }) })

const readResult = (result: CallResult, { pooled }: OfferedTool, { reading }: AnswerContext): ModelOutcome =>
  readOutcome(result, pooled, reading)

function afterFailure(
  thrown: unknown,
  { call, tool }: { call: ModelCall; tool: OfferedTool },
  desk: AnswerContext,
): ModelOutcome {
  if (thrown instanceof RpcError && desk.protocolErrors === 'throw') throw thrown
  const telling: FailureDetail = {
    reading: desk.reading,
    protocolErrors: desk.protocolErrors === 'message' ? 'message' : 'summary',
  }
  const told = describeFailure(thrown, tool.pooled, telling)
  if (told) return told
  desk.onError(thrown, call)
  // Nobody knows how far it got, and its message may be about this program's inside.
  return failureOutcome(`The call to ${call.alias} failed inside this program. Do not assume that it did or did not happen.`)
}

function unknownTool(alias: string, known: readonly string[]): ModelOutcome {
  const near = nearNames(alias, known)
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return failureOutcome(`There is no tool ${JSON.stringify(capped(cleanText(alias), 64))}; nothing was called.${hint}`)
}
