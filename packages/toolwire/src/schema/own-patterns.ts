// Patterns of our own schemas. Whoever wrote them meant well, but the texts they look at come from strangers all the same.
import { linearEngine } from './linear-engine.js'
import { linearPatterns } from './linear-patterns.js'
import { looksInLinearTime, mayExplode } from './pattern-risk.js'
import { nativePatterns, type Pattern, type PatternEngine } from './patterns.js'
import { SchemaError } from './schema-error.js'

/** The longest text for a pattern that only the backtracking engine can express. */
const longestText = 256

/** The engine of the language where it cannot be made to take long, and the linear one where it can. */
export function ownPatterns(): PatternEngine {
  let linear: PatternEngine | undefined
  return (source) => {
    const native = nativePatterns(source)
    if (looksInLinearTime(source)) return native
    linear ??= linearHere()
    return linear(source)
  }
}

function linearHere(): PatternEngine {
  const engine = linearEngine()
  const compile = engine && linearPatterns(engine)
  return (source) => {
    try {
      if (compile) return compile(source)
    } catch (thrown) {
      if (!(thrown instanceof SchemaError)) throw thrown
    }
    return onShortTexts(source)
  }
}

/** Lookaround and backreferences, which only backtracking can do, on texts that it gets through in time. */
function onShortTexts(source: string): Pattern {
  if (mayExplode(source)) {
    throw new SchemaError(
      'pattern',
      `The pattern /${source.slice(0, 200)}/ may take forever on a short text; rewrite it so that nothing that repeats stands inside another repetition.`,
    )
  }
  const { test } = nativePatterns(source)
  return { test, cost: (length) => (length > longestText ? Number.POSITIVE_INFINITY : length) }
}
