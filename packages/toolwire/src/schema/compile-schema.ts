import type { Json } from '../json.js'
import { compileTrusted } from './compile-trusted.js'
import { type Compiled, type CompileOptions, compileWith } from './compile-with.js'
import { untrustedLimits } from './limits.js'
import { linearPatterns } from './patterns/linear-patterns.js'

/**
 * Compiles a JSON Schema of 2020-12 or draft-07. Unless it is said to be trusted, its size, its depth, its patterns and the
 * work of each validation are bounded.
 *
 * @example compile({ type: 'object', required: ['query'] }).check({}) // [{ path: '', keyword: 'required', … }]
 */
export function compile(schema: Json, options: CompileOptions & { readonly trusted?: boolean } = {}): Compiled {
  if (options.trusted) return compileTrusted(schema, options)
  return compileWith(schema, options, { limits: untrustedLimits, patterns: linearPatterns(untrustedLimits.instructions) })
}
