import type { PooledTool } from '../client/pool.js'
import type { JsonObject } from '../json.js'
import type { Lose, Lowered } from './lower/lowered.js'
import type { ModelOutcome } from './result/model-outcome.js'

/** A call as a model made it. `args` is what came: an object, JSON text, or something else. */
export type ModelCall = { readonly id: string | undefined; readonly alias: string; readonly args: unknown }

/** A tool, ready to be told to a model. */
export type OfferedTool = {
  readonly alias: string
  readonly description: string
  readonly lowered: Lowered
  readonly pooled: PooledTool
}

/** Answers one call; never fails. */
export type AnswerCall = (call: ModelCall, options: { signal?: AbortSignal }) => Promise<ModelOutcome>

/** Everything that is particular to one provider: its formats, and what it takes. */
export interface Provider<Tools, Response, Answered, Appended> {
  lower(plain: JsonObject, lose: Lose, strict: boolean): Lowered
  /** The tools in the provider's format. */
  tools(offered: readonly OfferedTool[], answer: AnswerCall): Tools
  /** The calls in what the provider sent. */
  callsIn(response: Response): ModelCall[]
  /** One answer in the provider's format. */
  answer(call: ModelCall, outcome: ModelOutcome): Answered
  /** What to append to the conversation. */
  append(answers: Answered[]): Appended[]
  /** Is a result of this media type something the model can be shown? */
  shows(mediaType: string): boolean
}
