import type { Json } from '../json.js'
import { SchemaCompiler } from './compiler/compiler.js'
import { type Remotes, SchemaLibrary } from './compiler/schema-library.js'
import { type SharedSteps, tooDeep, ValidationHalt, ValidationRun } from './compiler/validation-run.js'
import { type DialectName, dialects } from './dialects/dialects.js'
import type { Issue } from './issue.js'
import { trustedLimits, untrustedLimits, type ValidationLimits } from './limits.js'
import { linearPatterns } from './patterns/linear-patterns.js'

/** A schema made ready to check values. */
export type Compiled = {
  /** Why the value does not satisfy the schema; empty when it does. It never throws and always ends. */
  check(value: unknown): Issue[]
  readonly schema: Json
  readonly dialect: DialectName
}

/** How a schema is to be read, and how much it may cost. */
export type CompileOptions = {
  /** The dialect of a schema without `$schema`: 2020-12 unless said otherwise. */
  readonly dialect?: DialectName
  readonly limits?: Partial<ValidationLimits>
  /** Steps that it has together with other schemas. */
  readonly sharedSteps?: SharedSteps
  /** Documents that references may name, by URI. Nothing is ever fetched. */
  readonly remotes?: Remotes
}

/**
 * Compiles a JSON Schema of 2020-12 or draft-07. Unless it is said to be trusted, its size, its depth, its patterns and the
 * work of each validation are bounded.
 *
 * @example compile({ type: 'object', required: ['query'] }).check({}) // [{ path: '', keyword: 'required', … }]
 */
export function compile(schema: Json, options: CompileOptions & { readonly trusted?: boolean } = {}): Compiled {
  const { trusted, dialect = '2020-12', remotes = {}, sharedSteps } = options
  const bounds = trusted ? trustedLimits : untrustedLimits
  const limits = { ...bounds, ...options.limits }
  const library = new SchemaLibrary(schema, { limits, remotes, dialect: dialects[dialect] })
  const check = new SchemaCompiler(library, linearPatterns(bounds.instructions)).compile()
  // One run is used again and again: a check is synchronous, so there is never a second one at the same time.
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
  // The caller may have left us less stack than the bound on depth assumes.
  if (thrown instanceof RangeError) return tooDeep().issue
  throw thrown
}
