import { isObject } from '../../json.js'
import { jsonEquals } from '../compiler/equality.js'
import type { Check } from '../compiler/validation-run.js'
import { keyword } from '../dialects/keyword.js'
import { anything, type TypeName, types, values } from '../dialects/shapes.js'
import { listAlternatives, valueExcerpt } from '../issue.js'

const isOfType = {
  array: (value: unknown) => Array.isArray(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  integer: (value: unknown) => Number.isInteger(value),
  null: (value: unknown) => value === null,
  number: (value: unknown) => Number.isFinite(value),
  object: isObject,
  string: (value: unknown) => typeof value === 'string',
} satisfies Record<TypeName, (value: unknown) => boolean>

const typeWords: Record<TypeName, string> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/** Nothing is converted on the way: "5" is not a number, while 5.0 is an integer. */
export const type = keyword('type', types, (names): Check => {
  if (!Array.isArray(names)) return ofType(names)
  if (names.length === 1) return ofType(names[0]!)
  const tests = names.map((name) => isOfType[name])
  const expected = names.map((name) => typeWords[name]).join(' or ')
  return (value, run) => tests.some((test) => test(value)) || run.fail('type', expected, value)
})

function ofType(name: TypeName): Check {
  const test = isOfType[name]
  const expected = typeWords[name]
  return (value, run) => test(value) || run.fail('type', expected, value)
}

export const enumeration = keyword('enum', values, (allowed): Check => {
  const simple: ReadonlySet<unknown> = new Set(allowed.filter((item) => !isComposite(item)))
  const composite = allowed.filter(isComposite)
  const expected = allowed.length === 1 ? listAlternatives(allowed, 'or') : `one of ${listAlternatives(allowed, 'or')}`
  return (value, run) => {
    // The snapshot holds JSON only; anything else is simply not in the set.
    if (simple.has(value)) return true
    if (composite.length === 0 || !isComposite(value)) return run.fail('enum', expected, value)
    run.spend(composite.length)
    return composite.some((item) => jsonEquals(item, value, run)) || run.fail('enum', expected, value)
  }
})

export const constant = keyword('const', anything, (only): Check => {
  const expected = valueExcerpt(only)
  if (!isComposite(only)) return (value, run) => value === only || run.fail('const', expected, value)
  return (value, run) => jsonEquals(only, value, run) || run.fail('const', expected, value)
})

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
