import { visible } from '../text/visible.js'

/** Machine-readable reasons of a SchemaError. */
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
 * Thrown for a schema that cannot be used; the message names the place and the remedy.
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
    super(visible(message), options) // the message may quote an untrusted schema
    this.code = code
  }
}
