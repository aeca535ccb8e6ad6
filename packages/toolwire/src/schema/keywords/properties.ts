import { isObject, type Json, type JsonObject } from '../../json.js'
import { nearest } from '../../text/nearest.js'
import { visibleLine } from '../../text/visible.js'
import { everyMember, type MemberCheck, memberReader, ownMember } from '../compiler/members.js'
import type { ValidationRun } from '../compiler/validation-run.js'
import { type KeywordSite, keyword, schemaEntries } from '../dialects/keyword.js'
import { schema, schemaMap } from '../dialects/shapes.js'
import type { Issue } from '../issue.js'
import type { Pattern } from '../patterns/linear-patterns.js'

export const members = [
  keyword('properties', schemaMap, (map, site) => {
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
        run.seen?.names.add(names[index]!)
        if (run.member(checks[index]!, item, names[index]!)) continue
        holds = false
        if (run.decided) break
      }
      return holds
    }
  }),
  keyword('patternProperties', schemaMap, (map, site) => {
    const rules = schemaEntries(map).map(([source, property]) => ({ pattern: site.pattern(source), check: site.child(property) }))
    return everyMember((value, name, run) => {
      let holds = true
      for (const { pattern, check } of ownMember(value, name) === undefined ? [] : rules) {
        if (!matches(pattern, name, run)) continue
        run.seen?.names.add(name)
        if (!run.member(check, value[name], name)) holds = false
      }
      return holds
    })
  }),
  keyword('additionalProperties', schema, (rest, site) => {
    const isKnown = knownNames(site)
    const check = otherMember('additionalProperties', { rest, known: Object.keys(mapOf(site.sibling('properties'))) }, site)
    return everyMember((value, name, run) => {
      if (isKnown(name, run) || ownMember(value, name) === undefined) return true
      run.seen?.names.add(name)
      return check(value, name, run)
    })
  }),
  keyword('propertyNames', schema, (names, site) => {
    const check = site.child(names)
    return everyMember((value, name, run) => {
      run.spend(1)
      return ownMember(value, name) === undefined || run.member(check, name, name)
    })
  }),
]

export const unevaluatedProperties = keyword('unevaluatedProperties', schema, (rest, site) => {
  const check = otherMember('unevaluatedProperties', { rest, known: namesAround(site) }, site)
  const others = everyMember((value, name, run) => {
    run.spend(1)
    return run.seen?.hasName(name) || ownMember(value, name) === undefined || check(value, name, run)
  })
  return (value, run) => {
    const holds = others(value, run)
    if (run.seen) run.seen.everyName = true
    return holds
  }
})

/** Properties that the schema or one of its branches names. */
function namesAround(site: KeywordSite): string[] {
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => site.sibling(name) ?? [])
  const maps = [site.sibling('properties'), ...branches.map((branch) => (isObject(branch) ? branch.properties : undefined))]
  return maps.flatMap((map) => Object.keys(mapOf(map)))
}

function matches(pattern: Pattern, name: string, run: ValidationRun): boolean {
  run.spend(1)
  return pattern.test(name, run)
}

type Others = { readonly rest: Json; readonly known: readonly string[] }

/** Creates the check for members that are not among the known ones. */
function otherMember(keywordName: string, { rest, known }: Others, site: KeywordSite): MemberCheck {
  if (rest === false) return (_, name, run) => !run.decided && run.note(unknownPropertyIssue(keywordName, name, known), name)
  const check = site.child(rest)
  return (value, name, run) => run.member(check, value[name], name)
}

/** The issue of an unknown property, with the name that was most likely meant. */
export function unknownPropertyIssue(keyword: string, name: string, known: Iterable<string>): Omit<Issue, 'path'> {
  return {
    keyword,
    // Made only for an issue that is reported: alternatives have many that are not, and a near name takes long to find.
    get message() {
      // Another branch of the schema has the property, but not the branch that fits the other properties.
      if ([...known].includes(name)) return `property ${quote(name)} does not fit the others`
      const meant = nearest(name, known)
      return `unknown property ${quote(name)}${meant === undefined ? '' : `, did you mean ${quote(meant)}?`}`
    },
  }
}

function knownNames(site: KeywordSite): (name: string, run: ValidationRun) => boolean {
  const names = new Set(Object.keys(mapOf(site.sibling('properties'))))
  const patterns = Object.keys(mapOf(site.sibling('patternProperties'))).map((source) => site.pattern(source))
  return (name, run) => {
    run.spend(1)
    return names.has(name) || (patterns.length > 0 && patterns.some((pattern) => matches(pattern, name, run)))
  }
}

const mapOf = (argument: Json | undefined): JsonObject => (isObject(argument) ? argument : {})

const quote = (name: string): string => `'${visibleLine(name.length > 60 ? `${name.slice(0, 60)}…` : name)}'`
