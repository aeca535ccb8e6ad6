import type { Json } from '../json.js'
import { SchemaCompiler } from './compiler/compiler.js'
import { type Remotes, SchemaLibrary } from './compiler/schema-library.js'
import { type Check, type SharedSteps, tooDeep, ValidationHalt, ValidationRun } from './compiler/validation-run.js'
import { type DialectName, dialects } from './dialects/dialects.js'
import type { Issue } from './issue.js'
import type { ValidationLimits } from './limits.js'
import type { PatternEngine } from './patterns/pattern.js'

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

/** Compiles a schema with the given bounds and pattern engine. */
export function compileWith(
  schema: Json,
  options: CompileOptions,
  bounds: { limits: ValidationLimits; patterns: PatternEngine },
): Compiled {
  const limits = { ...bounds.limits, ...options.limits }
  const library = new SchemaLibrary(schema, {
    limits,
    remotes: options.remotes ?? {},
    dialect: dialects[options.dialect ?? '2020-12'],
  })
  const check = new SchemaCompiler(library, bounds.patterns).compile()
  return { check: checker(check, new ValidationRun(limits, options.sharedSteps)), schema, dialect: library.survey.fallback.name }
}

/** One run is used again and again: a check is synchronous, so there is never a second one at the same time. */
function checker(check: Check, run: ValidationRun): (value: unknown) => Issue[] {
  return (value) => {
    run.reset()
    try {
      return check(value, run) ? [] : run.issues()
    } catch (thrown) {
      return [stopOf(thrown)]
    } finally {
      run.settle()
    }
  }
}

function stopOf(thrown: unknown): Issue {
  if (thrown instanceof ValidationHalt) return thrown.issue
  // The caller may have left us less stack than the bound on depth assumes.
  if (thrown instanceof RangeError) return tooDeep().issue
  throw thrown
}
