// Makes a tool's schema plain, for clients that take no other. Losses may only make it accept more.
import { isObject, type Json, type JsonObject } from '../../json.js'
import { toPointer } from '../../schema/pointer.js'
import { cleanText } from '../../text/clean-text.js'
import { capped, cut } from '../../text/cut.js'
import { isSpent, newBudget, tooManyParts } from './budget.js'
import { withItems } from './lower-to-object.js'
import type { ReportLoss } from './lowered.js'
import { annotationKeywords, notUnderstood, plainSchema, type SchemaLimits } from './plain-schema.js'
import { wideObject } from './wide-object.js'

/** Thrown for a schema that cannot be made portable; the message names the place and the reason. */
export class NotPortable extends Error {
  override name = 'NotPortable'
}

const deepest = 32
/** Limit on growth, because a part is repeated for each reference to it. */
const mostGrowth = 4
const alwaysFits = 16_384
const longestReason = 240

/**
 * Returns the schema without references and `$schema`, in 2020-12. An input schema gets an object at its root, with its members and
 * without combinators. The result accepts everything that the original accepts, and sometimes more. Throws `NotPortable` if that is
 * impossible, as with a schema that contains itself.
 *
 * ```ts
 * portableSchema({ $ref: '#/$defs/Point', $defs: { Point: { type: 'object', properties: { x: { type: 'number' } } } } }, 'input')
 * ```
 */
export function portableSchema(schema: JsonObject, use: 'input' | 'output'): JsonObject {
  const plain = plainSchema(schema, throwOnLoss, limitsFor(schema))
  if (use === 'output') return withItems(plain) as JsonObject // of an object it makes an object
  const budget = newBudget()
  const portable = withItems(wideObject(plain, budget)) as JsonObject
  if (isSpent(budget)) throw new NotPortable(`The schema ${tooManyParts}`)
  return withMarks(portable, schema)
}

function limitsFor(schema: JsonObject): SchemaLimits {
  const { length } = JSON.stringify(schema)
  return { size: Math.max(alwaysFits, mostGrowth * length), depth: deepest, description: length }
}

/** References that can be resolved only while a value is validated. */
const dynamic: ReadonlySet<string> = new Set(['$dynamicRef', '$recursiveRef'])

/** Throws for every lost constraint, because the schema could accept less without it. Annotations and unknown keywords may be lost. */
const throwOnLoss: ReportLoss = (path, keyword, why) => {
  if (annotationKeywords.has(keyword) || (why === notUnderstood && !dynamic.has(keyword))) return
  const [reason = why] = why.split(',')
  const text = `${keyword} at ${toPointer(path) || 'its root'} ${reason}`
  throw new NotPortable(capped(cleanText(cut(text, longestReason * 2)), longestReason))
}

const mark = 'x-mcp-header'

/** Clients repeat marked arguments in headers, and the server expects them, so the marks stay in place. */
function withMarks(schema: JsonObject, original: JsonObject): JsonObject {
  const marked = { ...schema, ...(original[mark] !== undefined && { [mark]: original[mark] }) }
  const { properties } = original
  if (!isObject(properties) || !isObject(schema.properties)) return marked
  const members = Object.entries(schema.properties).map(([name, member]): [string, Json | undefined] => {
    const before = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, isObject(member) && isObject(before) ? withMarks(member, before) : member]
  })
  return { ...marked, properties: Object.fromEntries(members) }
}
