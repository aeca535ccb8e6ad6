import { isObject } from '../../json.js'
import { ownMember } from '../compiler/members.js'
import type { Check } from '../compiler/validation-run.js'
import { type KeywordSite, keyword } from '../dialects/keyword.js'
import { schema } from '../dialects/shapes.js'
import { each, unknownProperty } from './properties.js'

export const unevaluatedProperties = keyword('unevaluatedProperties', schema, (rest, site): Check => {
  const check = rest === false ? unknownProperty('unevaluatedProperties', namesAround(site)) : each(site.child(rest))
  return (value, run) => {
    if (!isObject(value)) return true
    let holds = true
    for (const name in value) {
      run.spend(1)
      if (run.seen?.hasName(name) || ownMember(value, name) === undefined) continue
      if (!check(value, name, run)) holds = false
      if (!holds && run.decided) break
    }
    run.seen?.allNames()
    return holds
  }
})

/** Properties that the schema or one of its branches names. */
function namesAround(site: KeywordSite): string[] {
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => site.sibling(name) ?? [])
  const maps = [site.sibling('properties'), ...branches.map((branch) => (isObject(branch) ? branch.properties : undefined))]
  return maps.flatMap((map) => (isObject(map) ? Object.keys(map) : []))
}

export const unevaluatedItems = keyword('unevaluatedItems', schema, (rest, site): Check => {
  const check = site.child(rest)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let holds = true
    run.spend(value.length)
    for (let index = 0; index < value.length; index++) {
      if (run.seen?.hasIndex(index)) continue
      if (!run.member(check, value[index], index)) holds = false
      if (!holds && run.decided) break
    }
    run.seen?.allIndexes()
    return holds
  }
})
