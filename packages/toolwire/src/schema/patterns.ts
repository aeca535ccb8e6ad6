import { SchemaError } from './schema-error.js'

/** A compiled pattern: does it occur in the text, and how many steps does one look cost? */
export type Pattern = { test(text: string): boolean; cost(length: number): number }

/** Compiles the source of a pattern, or refuses it with a SchemaError. */
export type PatternEngine = (source: string) => Pattern

/** The engine of the language. It is fast and expresses everything, but it backtracks. */
export const nativePatterns: PatternEngine = (source) => {
  const expression = nativeExpression(source)
  return { test: (text) => expression.test(text), cost: (length) => length >> 4 }
}

function nativeExpression(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    // JSON Schema asks for Unicode expressions, but many schemas escape more than those allow: ^[\w\-\@]+$
    return looseExpression(source)
  }
}

function looseExpression(source: string): RegExp {
  try {
    return new RegExp(source)
  } catch (thrown) {
    throw new SchemaError('pattern', `The pattern /${source}/ is not a regular expression; correct it.`, {
      cause: thrown,
    })
  }
}
