import type { Progress } from '../client/client.js'
import type { PooledTool } from '../client/pool.js'
import { defaultSchemaLimits, type SchemaLimits } from './lower/plain-schema.js'
import type { ModelCall } from './provider.js'
import { defaultResultLimits, type ResultLimits } from './result/trim-blocks.js'

export type ToolkitOptions = {
  /** OpenAI only: strict mode for the tools whose schemas allow it. */
  strict?: boolean
  /** Selects the tools that the model sees; by default all of them. */
  filter?: (tool: PooledTool) => boolean
  /** Names of your own tools; calls to them are left to you. */
  ownTools?: readonly string[]
  /** Marks text from a server as data, with its source. This advises the model and does not protect it. On by default. */
  fence?: boolean | ((tool: PooledTool) => boolean)
  /**
   * For errors that a server sent: the model reads our summary, or the server's message too, or `run` throws the error. With `throw`, a
   * tool of the AI SDK throws it too, and the SDK shows the server's message to the model, without a fence.
   */
  protocolErrors?: 'summary' | 'message' | 'throw'
  /** Also gives the model content that is marked for the user only. */
  forUser?: boolean
  limits?: Partial<ToolkitLimits>
  /** Called for unforeseen failures, of which the model reads only that they happened. Writes to stderr by default. */
  onError?: (thrown: unknown, call: ModelCall) => void
}

/** Limits on text from servers that a model reads, in characters. */
export type ToolkitLimits = ResultLimits & {
  description: number
  schema: SchemaLimits
}

export const defaultToolkitLimits: ToolkitLimits = { ...defaultResultLimits, description: 2_048, schema: defaultSchemaLimits }

export type RunOptions = {
  /** Cancels pending calls; all calls are still answered, as cancelled. */
  signal?: AbortSignal
  onProgress?: (progress: Progress, call: ModelCall) => void
  /** Limit on calls that run in parallel; 4 by default. */
  concurrency?: number
  /**
   * The calls that may run in parallel. `read-only`, the default: all of them if every tool only reads, else none. `all`: every call. A
   * function decides for each tool; calls of other tools run alone, in order.
   */
  parallel?: 'read-only' | 'all' | ((tool: PooledTool) => boolean)
}
