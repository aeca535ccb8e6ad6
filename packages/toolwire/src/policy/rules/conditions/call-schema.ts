import { isObject, type Json } from '../../../json.js'
import { dialectOf, dialects } from '../../../schema/dialects/dialects.js'
import { toPointer } from '../../../schema/pointer.js'
import { nearest } from '../../../text/nearest.js'
import { rulesProblem } from '../rules-error.js'

/** Members of an object by name, with their own; `any` for members that are not known here. */
type Members = 'any' | { readonly [name: string]: Members }

/** The members of the calls that a schema under `call` describes. */
const callMembers: Members = {
  server: 'any',
  tool: 'any',
  hints: { readOnly: 'any', destructive: 'any', idempotent: 'any', openWorld: 'any' },
  tags: 'any',
  caller: { id: 'any', scopes: 'any', anonymous: 'any' },
  arguments: 'any',
}

/** Keywords whose schemas are about the same value. */
const inPlace: ReadonlySet<string> = new Set('allOf anyOf oneOf not if then else dependentSchemas'.split(' '))

/**
 * Refuses keywords that are not in the schema's dialect, and members that no call has. A validator ignores both, so the condition would hold
 * for every call. The schema is a valid one, and so no deeper than the compiler allows.
 */
export function checkCallSchema(schema: Json, at: string): void {
  const dialect = isObject(schema) && typeof schema.$schema === 'string' ? dialectOf(schema.$schema, () => undefined) : undefined
  check(schema, { keywords: (dialect ?? dialects['2020-12']).keywords, members: callMembers, at })
}

type Place = { readonly keywords: (typeof dialects)['2020-12']['keywords']; readonly members: Members; readonly at: string }

function check(schema: Json, { keywords, members, at }: Place): void {
  if (!isObject(schema)) return
  for (const [name, argument] of Object.entries(schema)) {
    const place = `${at}${toPointer([name])}`
    const keyword = keywords.get(name)
    if (!keyword)
      throw unknownIn(place, `${JSON.stringify(name)} is not a keyword of JSON Schema`, nearest(name, keywords.keys()))
    if (argument === undefined) continue
    if (name === 'properties' || name === 'required') checkNames(argument, members, place)
    for (const part of keyword.shape.parts?.(argument) ?? [])
      check(part.schema, { keywords, members: membersIn(name, part.at, members), at: `${place}${toPointer(part.at)}` })
  }
}

function membersIn(keyword: string, [name = '']: readonly (string | number)[], members: Members): Members {
  if (inPlace.has(keyword)) return members
  return keyword === 'properties' && members !== 'any' ? (members[name] ?? 'any') : 'any'
}

function checkNames(argument: Json, members: Members, at: string): void {
  if (members === 'any') return
  const names = Array.isArray(argument) ? argument.map(String) : Object.keys(argument ?? {})
  const wrong = names.find((name) => !Object.hasOwn(members, name))
  if (wrong === undefined) return
  const known = Object.keys(members)
  throw unknownIn(at, `a call has no ${JSON.stringify(wrong)} here`, nearest(wrong, known) ?? known.join(', '))
}

const unknownIn = (at: string, why: string, instead: string | undefined) =>
  rulesProblem(at, instead === undefined ? `${why}; correct or remove it` : `${why}; there is ${instead}`)
