import { isObject, type Json } from '../../json.js'
import { memberReader, ownMember } from '../compiler/members.js'
import type { Check, ValidationRun } from '../compiler/validation-run.js'
import { keyword, schemaEntries } from '../dialects/keyword.js'
import { count, dependencyMap, schemaMap, stringLists, strings } from '../dialects/shapes.js'
import { valueExcerpt } from '../issue.js'

export const objectSizes = [
  keyword('minProperties', count, (least) => {
    const expected = `an object of at least ${least} properties`
    return (value, run) => !isObject(value) || countMembers(value, run) >= least || run.fail('minProperties', expected, value)
  }),
  keyword('maxProperties', count, (most) => {
    const expected = `an object of at most ${most} properties`
    return (value, run) => !isObject(value) || countMembers(value, run) <= most || run.fail('maxProperties', expected, value)
  }),
]

function countMembers(value: Record<string, unknown>, run: ValidationRun): number {
  const names = Object.keys(value)
  run.spend(names.length)
  return names.filter((name) => value[name] !== undefined).length
}

export const required = keyword('required', strings, (names) => requireAll(names, 'required', ''))

function requireAll(names: readonly string[], keywordName: string, reason: string): Check {
  const readers = names.map(memberReader)
  return (value, run) => {
    if (!isObject(value)) return true
    run.spend(readers.length)
    let holds = true
    for (let index = 0; index < readers.length; index++) {
      if (readers[index]!(value) !== undefined) continue
      holds = missing(valueExcerpt(names[index]), keywordName, reason, run)
      if (run.decided) break
    }
    return holds
  }
}

const missing = (name: string, keyword: string, reason: string, run: ValidationRun): false =>
  run.note({ keyword, message: `missing required property ${name}${reason}`, expected: `the property ${name}`, got: 'nothing' })

const requiredBeside = (name: string, names: readonly string[]): Check =>
  requireAll(names, 'dependentRequired', ` (because ${valueExcerpt(name)} is present)`)

export const dependentRequired = keyword('dependentRequired', stringLists, (lists) => dependent(lists, requiredBeside))

export const dependentSchemas = keyword('dependentSchemas', schemaMap, (map, site) =>
  dependent(map, (_, beside) => site.inPlace(beside)),
)

/** Draft-07: the predecessor of dependentRequired and dependentSchemas. */
export const dependencies = keyword('dependencies', dependencyMap, (map, site) =>
  // The shape allows only lists of strings.
  dependent(map, (name, beside) => (Array.isArray(beside) ? requiredBeside(name, beside as string[]) : site.inPlace(beside))),
)

function dependent<T extends Json>(map: { [name: string]: T | undefined }, checkOf: (name: string, beside: T) => Check): Check {
  const rules = schemaEntries(map).map(([name, beside]) => ({ name, check: checkOf(name, beside) }))
  return (value, run) => {
    if (!isObject(value)) return true
    run.spend(rules.length)
    let holds = true
    for (const { name, check } of rules) if (ownMember(value, name) !== undefined && !check(value, run)) holds = false
    return holds
  }
}
