import type { JsonObject } from '../../json.js'
import type { Lose } from './loss.js'

/** A schema as a provider takes it, and the way back for the arguments that a model makes by it. */
export type Lowered = {
  readonly schema: JsonObject
  /** Whether the provider can hold the model to it. */
  readonly strict: boolean
  restore(args: JsonObject): JsonObject
}

/** Lowers a plain schema for one provider. */
export type Lower = (plain: JsonObject, lose: Lose) => Lowered
