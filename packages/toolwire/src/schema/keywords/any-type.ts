import { isObject } from '../../json.js'
import { jsonEquals } from '../compiler/equality.js'
import { keyword } from '../dialects/keyword.js'
import { anything, type TypeName, types, values } from '../dialects/shapes.js'
import { listAlternatives, valueExcerpt } from '../issue.js'

const kinds: Readonly<Record<TypeName, { readonly words: string; readonly holds: (value: unknown) => boolean }>> = {
  array: { words: 'an array', holds: Array.isArray },
  boolean: { words: 'true or false', holds: (value) => typeof value === 'boolean' },
  integer: { words: 'an integer', holds: Number.isInteger },
  null: { words: 'null', holds: (value) => value === null },
  number: { words: 'a number', holds: Number.isFinite },
  object: { words: 'an object', holds: isObject },
  string: { words: 'a string', holds: (value) => typeof value === 'string' },
}

const isComposite = (value: unknown): boolean => typeof value === 'object' && value !== null

export const anyType = [
  /** Values are never converted: "5" is not a number, while 5.0 is an integer. */
  keyword('type', types, (names) => {
    const asked = [names].flat().map((name) => kinds[name])
    const expected = asked.map(({ words }) => words).join(' or ')
    const [first] = asked
    if (asked.length === 1 && first) return (value, run) => first.holds(value) || run.fail('type', expected, value)
    return (value, run) => asked.some(({ holds }) => holds(value)) || run.fail('type', expected, value)
  }),
  keyword('enum', values, (allowed) => {
    const simple: ReadonlySet<unknown> = new Set(allowed.filter((item) => !isComposite(item)))
    const composite = allowed.filter(isComposite)
    const longest = allowed.reduce((most: number, item) => Math.max(most, typeof item === 'string' ? item.length : 0), 0)
    const expected = allowed.length === 1 ? listAlternatives(allowed, 'or') : `one of ${listAlternatives(allowed, 'or')}`
    return (value, run) => {
      if (typeof value === 'string' && value.length <= longest) run.spend(value.length >> 6)
      // The schema holds only JSON, so any other value is not in the set.
      if (simple.has(value)) return true
      if (composite.length === 0 || !isComposite(value)) return run.fail('enum', expected, value)
      run.spend(composite.length)
      return composite.some((item) => jsonEquals(item, value, run)) || run.fail('enum', expected, value)
    }
  }),
  keyword('const', anything, (only) => {
    const expected = valueExcerpt(only)
    return (value, run) => jsonEquals(only, value, run) || run.fail('const', expected, value)
  }),
]
