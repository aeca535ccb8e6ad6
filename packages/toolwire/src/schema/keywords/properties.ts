import { isObject, type Json, type JsonObject } from '../../json.js'
import { nearest } from '../../text/nearest.js'
import { visibleLine } from '../../text/visible.js'
import { memberReader, ownMember } from '../compiler/members.js'
import type { Check, ValidationRun } from '../compiler/validation-run.js'
import { type KeywordSite, keyword, schemaEntries } from '../dialects/keyword.js'
import { schema, schemaMap } from '../dialects/shapes.js'
import type { Issue } from '../issue.js'
import type { Pattern } from '../patterns/pattern.js'

export const properties = keyword('properties', schemaMap, (map, site): Check => {
  const names = Object.keys(map)
  const readers = names.map(memberReader)
  const checks = schemaEntries(map).map(([, property]) => site.child(property))
  return (value, run) => {
    if (!isObject(value)) return true
    run.spend(names.length)
    let holds = true
    for (let index = 0; index < names.length; index++) {
      const item = readers[index]!(value)
      if (item === undefined) continue
      run.seen?.name(names[index]!)
      if (run.member(checks[index]!, item, names[index]!)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
})

export const patternProperties = keyword('patternProperties', schemaMap, (map, site): Check => {
  const rules = schemaEntries(map).map(([source, property]) => ({ pattern: site.pattern(source), check: site.child(property) }))
  return (value, run) => {
    if (!isObject(value)) return true
    let holds = true
    for (const name in value) {
      if (ownMember(value, name) === undefined) continue
      for (const { pattern, check } of rules) {
        if (!matches(pattern, name, run)) continue
        run.seen?.name(name)
        if (!run.member(check, value[name], name)) holds = false
      }
      if (!holds && run.decided) break
    }
    return holds
  }
})

function matches(pattern: Pattern, name: string, run: ValidationRun): boolean {
  run.spend(1)
  return pattern.test(name, run)
}

export const additionalProperties = keyword('additionalProperties', schema, (rest, site): Check => {
  const isKnown = knownNames(site)
  const check =
    rest === false
      ? unknownProperty('additionalProperties', Object.keys(mapOf(site.sibling('properties'))))
      : each(site.child(rest))
  return (value, run) => {
    if (!isObject(value)) return true
    let holds = true
    for (const name in value) {
      if (isKnown(name, run) || ownMember(value, name) === undefined) continue
      run.seen?.name(name)
      if (check(value, name, run)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
})

/** Checks the member of that name. */
type MemberCheck = (value: Record<string, unknown>, name: string, run: ValidationRun) => boolean

export function each(check: Check): MemberCheck {
  return (value, name, run) => run.member(check, value[name], name)
}

export function unknownProperty(keywordName: string, known: readonly string[]): MemberCheck {
  return (_, name, run) => !run.decided && run.note(unknownPropertyIssue(keywordName, name, known), name)
}

/** Says that a property is unknown, and which name its author most likely meant. */
export function unknownPropertyIssue(keywordName: string, name: string, known: Iterable<string>): Omit<Issue, 'path'> {
  // Some branch knows it, but not the one that the other properties speak for.
  if ([...known].includes(name)) return { keyword: keywordName, message: `property ${quote(name)} does not fit the others` }
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : `, did you mean ${quote(meant)}?`
  return { keyword: keywordName, message: `unknown property ${quote(name)}${hint}` }
}

function knownNames(site: KeywordSite): (name: string, run: ValidationRun) => boolean {
  const names = new Set(Object.keys(mapOf(site.sibling('properties'))))
  const patterns = Object.keys(mapOf(site.sibling('patternProperties'))).map((source) => site.pattern(source))
  return (name, run) => {
    run.spend(1)
    return names.has(name) || (patterns.length > 0 && patterns.some((pattern) => matches(pattern, name, run)))
  }
}

export const propertyNames = keyword('propertyNames', schema, (names, site): Check => {
  const check = site.child(names)
  return (value, run) => {
    if (!isObject(value)) return true
    let holds = true
    for (const name in value) {
      run.spend(1)
      if (ownMember(value, name) === undefined || run.member(check, name, name)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
})

function mapOf(argument: Json | undefined): JsonObject {
  return isObject(argument) ? argument : {}
}

function quote(name: string): string {
  return `'${visibleLine(name.length > 60 ? `${name.slice(0, 60)}…` : name)}'`
}
