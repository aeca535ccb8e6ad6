/** A mistake in how a tool, a resource or a server was defined, told to the developer who made it. */
export class DefinitionError extends Error {
  override name = 'DefinitionError'
}

export const definitionError = (sentence: string, cause?: unknown): DefinitionError => new DefinitionError(sentence, { cause })
