import type { Json } from '../json.js'
import { type Compiled, type CompileOptions, compileWith } from './compile.js'
import { trustedLimits } from './limits.js'
import { ownPatterns } from './own-patterns.js'

/** Compiles a schema that the author of this program wrote. It loads no pattern engine unless one of its patterns needs it. */
export function compileTrusted(schema: Json, options: CompileOptions = {}): Compiled {
  return compileWith(schema, options, { limits: trustedLimits, patterns: ownPatterns() })
}
