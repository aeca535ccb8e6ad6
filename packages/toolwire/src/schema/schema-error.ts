import { visible } from '../text/visible.js'

/** What was wrong with a schema, for programs. */
export type SchemaErrorCode =
  | 'unsupported-dialect'
  | 'invalid-schema'
  | 'unresolved-ref'
  | 'too-large'
  | 'too-deep'
  | 'too-many'
  | 'pattern'
  | 'no-json-schema'

/**
 * A schema that cannot be used; the message says where and what to do about it.
 *
 * @example
 * ```ts
 * try {
 *   compile({ type: 'text' })
 * } catch (thrown) {
 *   if (thrown instanceof SchemaError) console.error(thrown.code, thrown.message)
 * }
 * ```
 */
export class SchemaError extends Error {
  override name = 'SchemaError'
  readonly code: SchemaErrorCode

  constructor(code: SchemaErrorCode, message: string, options?: ErrorOptions) {
    super(visible(message), options) // it may quote a schema of a stranger's
    this.code = code
  }
}
