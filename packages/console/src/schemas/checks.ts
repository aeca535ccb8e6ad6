// The checks of the library, with the patterns of strangers bounded: the page has no engine that could run all of them.
import { compileWith } from '../../../toolwire/src/schema/compile.js'
import type { Issue } from '../../../toolwire/src/schema/issues.js'
import { untrustedLimits } from '../../../toolwire/src/schema/limits.js'
import { looksInLinearTime } from '../../../toolwire/src/schema/pattern-risk.js'
import { nativePatterns, type PatternEngine } from '../../../toolwire/src/schema/patterns.js'
import type { Json } from './json.js'

export type { Issue }
/** Says why a value does not fit. */
export type Check = (value: Json) => readonly Issue[]

// A pattern that may take long is left to the gateway, which has an engine for it and checks everything again.
const boundedPatterns: PatternEngine = (source) =>
  looksInLinearTime(source) ? nativePatterns(source) : { test: () => true, cost: () => 0 }

const bounds = { limits: untrustedLimits, patterns: boundedPatterns }
const home = 'toolwire-console:tool'

/** The check of a whole schema, or why there is none. */
export function checkOf(schema: Json): Check | { readonly why: string } {
  try {
    const { check } = compileWith(schema, {}, bounds)
    return (value) => check(value)
  } catch (thrown) {
    return { why: thrown instanceof Error ? thrown.message : 'the schema cannot be read' }
  }
}

/** The check of one part of a schema, by the JSON pointer to it. */
export function checkOfPart(root: Json, pointer: string): Check | undefined {
  const fragment = pointer.split('/').map(encodeURIComponent).join('/')
  try {
    const { check } = compileWith({ $ref: `${home}#${fragment}` }, { remotes: { [home]: root } }, bounds)
    return (value) => check(value)
  } catch {
    return undefined // its whole cannot be checked either, and that is told where the whole is
  }
}
