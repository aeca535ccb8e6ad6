import type { Json, JsonObject } from '../json.js'
import type { Content } from './content.js'
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.js'
import type { Tool } from './tool.js'

/** The result of a call, for every tool. */
export type CallResult = { content: Content[]; isError?: boolean; structuredContent?: Json; _meta?: JsonObject }

type Ins<T> = T extends Tool ? InputOf<T['~tool']['input']> : never
type Outs<T> = T extends { '~tool': { output: infer O extends StandardSchema } } ? OutputOf<O> : CallResult

/** The tools of a server as functions. They take the arguments and return the declared output, or the whole result if none is declared. */
export type Calls<T, Options = never> = {
  readonly [K in keyof T]: (
    ...input: Record<string, never> extends Ins<T[K]>
      ? [input?: Ins<T[K]>, options?: Options]
      : [input: Ins<T[K]>, options?: Options]
  ) => Promise<Outs<T[K]>>
}

/**
 * A tool call whose result has `isError`; the message is the text of the result.
 *
 * @example
 * ```ts
 * const resultOf = (thrown: unknown) => (thrown instanceof ToolCallError ? thrown.result : undefined)
 * ```
 */
export class ToolCallError extends Error {
  override name = 'ToolCallError'
  readonly result: CallResult

  constructor(result: CallResult) {
    super(result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'))
    this.result = result
  }
}
