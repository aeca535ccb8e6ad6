import type { Json } from '../json.js'
import { checkOptions, optionsLike, optionsOf, withGiven } from '../tools/checks/known-options.js'
import { atLeast, oneOf, someObject, trueOrFalse } from '../tools/checks/option-values.js'
import { SchemaCompiler } from './compiler/compiler.js'
import { type Remotes, SchemaLibrary } from './compiler/schema-library.js'
import { type SharedSteps, tooDeep, ValidationHalt, ValidationRun } from './compiler/validation-run.js'
import { type DialectName, dialects } from './dialects/dialects.js'
import type { Issue } from './issue.js'
import { trustedLimits, untrustedLimits, type ValidationLimits } from './limits.js'
import { linearPatterns } from './patterns/linear-patterns.js'

/** A schema compiled for checking values. */
export type Compiled = {
  /** Returns the issues of a value; none if it satisfies the schema. Never throws for JSON values, and always ends. */
  check(value: unknown): Issue[]
  readonly schema: Json
  readonly dialect: DialectName
}

export type CompileOptions = {
  /** The dialect of a schema without `$schema`. Default: 2020-12. */
  readonly dialect?: DialectName
  readonly limits?: Partial<ValidationLimits>
  /** A step budget shared with other schemas. */
  readonly sharedSteps?: SharedSteps
  /** Documents that references may name, by URI. Nothing is ever fetched. */
  readonly remotes?: Remotes
}

const known = optionsOf<CompileOptions & { trusted?: boolean }>()('limits', {
  dialect: oneOf(...Object.keys(dialects)),
  'sharedSteps remotes': someObject,
  trusted: trueOrFalse,
})
const knownLimits = optionsLike(trustedLimits, atLeast(0))

/**
 * Compiles a JSON Schema of 2020-12 or draft-07. Size, depth, patterns and the work of each validation are limited; `trusted`
 * raises the limits.
 *
 * @example compile({ type: 'object', required: ['query'] }).check({}) // [{ path: '', keyword: 'required', … }]
 */
export function compile(schema: Json, options: CompileOptions & { readonly trusted?: boolean } = {}): Compiled {
  checkOptions('compile()', options, known)
  checkOptions('`limits`', options.limits, knownLimits)
  const { trusted, dialect = '2020-12', remotes = {}, sharedSteps } = options
  const bounds = trusted ? trustedLimits : untrustedLimits
  const limits = withGiven(bounds, options.limits)
  const library = new SchemaLibrary(schema, { limits, remotes, dialect: dialects[dialect] })
  const check = new SchemaCompiler(library, linearPatterns(limits.instructions)).compile()
  // Checks are synchronous and never overlap, so one run serves them all.
  const run = new ValidationRun(limits, sharedSteps)
  const issuesOf = (value: unknown): Issue[] => {
    run.reset()
    try {
      return check(value, run) ? [] : run.issues()
    } catch (thrown) {
      return [stopOf(thrown)]
    } finally {
      run.settle()
    }
  }
  return { check: issuesOf, schema, dialect: library.survey.fallback.name }
}

/** Compiles a schema that the author of this program wrote. */
export const compileTrusted = (schema: Json, options: CompileOptions = {}): Compiled =>
  compile(schema, { ...options, trusted: true })

function stopOf(thrown: unknown): Issue {
  if (thrown instanceof ValidationHalt) return thrown.issue
  // A deeply nested caller may leave less stack than the depth limit assumes.
  if (thrown instanceof RangeError) return tooDeep().issue
  throw thrown
}
