import { isObject } from '../../json.js'
import { memberReader, ownMember } from '../compiler/members.js'
import type { Check, ValidationRun } from '../compiler/validation-run.js'
import { keyword, schemaEntries } from '../dialects/keyword.js'
import { count, dependencyMap, schemaMap, stringLists, strings } from '../dialects/shapes.js'
import { valueExcerpt } from '../issue.js'

export const minProperties = keyword('minProperties', count, (least): Check => {
  const expected = `an object of at least ${least} properties`
  return (value, run) => !isObject(value) || countMembers(value, run) >= least || run.fail('minProperties', expected, value)
})

export const maxProperties = keyword('maxProperties', count, (most): Check => {
  const expected = `an object of at most ${most} properties`
  return (value, run) => !isObject(value) || countMembers(value, run) <= most || run.fail('maxProperties', expected, value)
})

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
      holds = missing(names[index]!, keywordName, reason, run)
      if (run.decided) break
    }
    return holds
  }
}

function missing(name: string, keywordName: string, reason: string, run: ValidationRun): false {
  if (run.decided) return false
  const expected = `the property ${valueExcerpt(name)}`
  return run.note({
    keyword: keywordName,
    message: `missing required property ${valueExcerpt(name)}${reason}`,
    expected,
    got: 'nothing',
  })
}

export const dependentRequired = keyword('dependentRequired', stringLists, (lists) =>
  dependent(Object.entries(lists).map(([name, names]) => [name, requiredBeside(name, names)])),
)

export const dependentSchemas = keyword('dependentSchemas', schemaMap, (map, site) =>
  dependent(schemaEntries(map).map(([name, beside]) => [name, site.inPlace(beside)])),
)

/** Draft-07: what later became dependentRequired and dependentSchemas. */
export const dependencies = keyword('dependencies', dependencyMap, (map, site) =>
  dependent(
    schemaEntries(map).map(([name, beside]) => [
      name,
      // The shape allows no lists but of strings.
      Array.isArray(beside) ? requiredBeside(name, beside as string[]) : site.inPlace(beside),
    ]),
  ),
)

function requiredBeside(name: string, names: readonly string[]): Check {
  return requireAll(names, 'dependentRequired', ` (because ${valueExcerpt(name)} is present)`)
}

function dependent(rules: readonly (readonly [string, Check])[]): Check {
  return (value, run) => {
    if (!isObject(value)) return true
    run.spend(rules.length)
    let holds = true
    for (const [name, check] of rules) {
      if (ownMember(value, name) !== undefined && !check(value, run)) holds = false
    }
    return holds
  }
}
