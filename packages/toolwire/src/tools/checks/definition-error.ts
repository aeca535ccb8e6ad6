/**
 * A mistake in the definition of a tool, a resource or a server, for the developer who made it.
 *
 * @example
 * ```ts
 * try {
 *   server({ name: 'shop', version: '1.0.0', tools: {} })
 * } catch (thrown) {
 *   if (thrown instanceof DefinitionError) console.error(thrown.message)
 * }
 * ```
 */
export class DefinitionError extends Error {
  override name = 'DefinitionError'
}

export const definitionError = (sentence: string, cause?: unknown): DefinitionError =>
  new DefinitionError(sentence, cause === undefined ? undefined : { cause })
