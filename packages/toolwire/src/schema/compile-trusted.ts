import type { Json } from '../json.js'
import { type Compiled, type CompileOptions, compileWith } from './compile-with.js'
import { trustedLimits } from './limits.js'
import { linearPatterns } from './patterns/linear-patterns.js'

/** Compiles a schema that the author of this program wrote. */
export function compileTrusted(schema: Json, options: CompileOptions = {}): Compiled {
  return compileWith(schema, options, { limits: trustedLimits, patterns: linearPatterns(trustedLimits.instructions) })
}
