import type { PooledTool } from '../client/pool.js'
import type { JsonObject } from '../json.js'
import type { Lowered, ReportLoss } from './lower/lowered.js'
import type { ModelOutcome } from './result/model-outcome.js'

/** A call as a model made it. `args` may be an object, JSON text, or anything else. */
export type ModelCall = { readonly id: string | undefined; readonly alias: string; readonly args: unknown }

export type OfferedTool = {
  readonly alias: string
  readonly description: string
  readonly lowered: Lowered
  readonly pooled: PooledTool
}

/** Rejects only with a protocol error, and only if `protocolErrors` is `throw`. */
export type AnswerCall = (call: ModelCall, options: { signal?: AbortSignal }) => Promise<ModelOutcome>

/** The formats of one provider, and the media that it accepts. */
export interface Provider<Tools, Response, Answered, Appended> {
  lower(plain: JsonObject, reportLoss: ReportLoss, strict: boolean): Lowered
  tools(offered: readonly OfferedTool[], answer: AnswerCall): Tools
  /** The calls in the provider's response. */
  callsIn(response: Response): ModelCall[]
  answer(call: ModelCall, outcome: ModelOutcome): Answered
  /** The messages to append to the conversation. */
  append(answers: Answered[]): Appended[]
  /** True if the model can be shown media of this type. */
  shows(mediaType: string): boolean
}
