import type { Progress } from '../client/client.js'
import type { PooledTool } from '../client/pool.js'
import { defaultSchemaLimits, type SchemaLimits } from './lower/plain-schema.js'
import type { ModelCall } from './provider.js'
import { defaultResultLimits, type ResultLimits } from './result/trim-blocks.js'

/** How a toolkit is made and how it behaves. */
export type ToolkitOptions = {
  /** OpenAI only: hold the model to the schemas, of those tools whose schemas allow it. */
  strict?: boolean
  /** Which tools the model gets to know; all of them if not said. */
  filter?: (tool: PooledTool) => boolean
  /** Names of tools that are your own: calls to them are left to you. */
  ownTools?: readonly string[]
  /** Mark what a server says as data, by whom. Advice to the model, no wall around it. On unless said otherwise. */
  fence?: boolean | ((tool: PooledTool) => boolean)
  /** What the model reads of an error that a server sent: our words for its code, the server's message too, or `run` throws it. */
  protocolErrors?: 'summary' | 'message' | 'throw'
  /** Give the model what is marked for the user only, too. */
  forUser?: boolean
  limits?: Partial<ToolkitLimits>
  /** Hears of failures that nobody foresaw; the model only reads that there was one. stderr unless said otherwise. */
  onError?: (thrown: unknown, call: ModelCall) => void
}

/** How much of what servers say is put before a model, in characters. */
export type ToolkitLimits = ResultLimits & {
  /** Longest description of a tool. */
  description: number
  schema: SchemaLimits
}

export const defaultToolkitLimits: ToolkitLimits = { ...defaultResultLimits, description: 2_048, schema: defaultSchemaLimits }

/** What running calls may bring along. */
export type RunOptions = {
  /** Ends the calls that are on their way; all calls are still answered, as cancelled. */
  signal?: AbortSignal
  onProgress?: (progress: Progress, call: ModelCall) => void
  /** How many calls may be on their way at once, of those that may run side by side: 4 if not said. */
  concurrency?: number
  /**
   * Which calls may run in parallel. `read-only`, the default: all of them if every tool is believed to change nothing, else one
   * after the other. `all`: every call. A function decides for each tool; the others run alone, in their order.
   */
  parallel?: 'read-only' | 'all' | ((tool: PooledTool) => boolean)
}
