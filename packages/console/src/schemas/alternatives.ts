import { branchesOf, isOfType, type TypeName, typesOf } from './field-kinds.js'
import { isObject, type Json, type JsonObject } from './json.js'
import { resolveSchema } from './resolve-schema.js'
import type { SchemaDocument } from './schema-document.js'
import { typeText } from './schema-text.js'

/** One branch of a union. */
export type Alternative = {
  readonly label: string
  /** The branch, combined with the keywords that apply to all branches. */
  readonly schema: JsonObject
  /** Does a value match this branch? Undefined if that cannot be checked. */
  readonly accepts: (value: Json) => boolean | undefined
  readonly types: readonly TypeName[]
}

/** The branches of a union, or one alternative for each allowed type. */
export function alternativesOf(document: SchemaDocument, shape: JsonObject): readonly Alternative[] {
  const branches = branchesOf(shape)
  if (branches.length === 0) return typesOf(shape).map((type) => ofType(shape, type))
  const { oneOf: _one, anyOf: _any, title: _title, description: _about, default: _default, ...rest } = shape
  return branches.map((branch, index) => {
    const own = resolveSchema(document, branch)
    const types = typesOf(own.type === undefined && rest.type !== undefined ? { ...own, type: rest.type } : own)
    const schema = Object.keys(rest).length === 0 && isObject(branch) ? branch : { allOf: [branch, rest] }
    return { label: labelOf(own, types, index), schema, accepts: (value) => document.fits(branch, value), types }
  })
}

function ofType(shape: JsonObject, type: TypeName): Alternative {
  const { title: _title, description: _about, ...rest } = shape
  return { label: typeText[type], schema: { ...rest, type }, accepts: (value) => isOfType(value, type), types: [type] }
}

/** The label of a branch: its title, its constant members, or its type. */
function labelOf(own: JsonObject, types: readonly TypeName[], index: number): string {
  if (typeof own.title === 'string' && own.title !== '') return own.title
  const mark = markOf(own)
  if (mark !== undefined) return mark
  if (types.length > 1) return `Alternative ${index + 1}`
  const type = types[0] ?? 'null'
  return type === 'object' && isObject(own.properties) ? `Group of ${Object.keys(own.properties).join(', ')}` : typeText[type]
}

function markOf({ properties }: JsonObject): string | undefined {
  const values = isObject(properties) ? Object.values(properties) : []
  const marks = values.flatMap((member) => (isObject(member) && typeof member.const === 'string' ? [member.const] : []))
  return marks.length > 0 ? marks.join(', ') : undefined
}

/** The index of the branch that a value matches, preferably the chosen one; -1 if none matches. */
export function chosenAlternative(alternatives: readonly Alternative[], value: Json | undefined, chosen?: number): number {
  const preferred = chosen === undefined ? undefined : alternatives[chosen]
  if (value === undefined) return preferred && chosen !== undefined ? chosen : -1
  const fitting = alternatives.findIndex(({ accepts }) => accepts(value) === true)
  if (preferred && chosen !== undefined) {
    const holds = preferred.accepts(value) || (fitting < 0 && isLike(preferred, value))
    if (holds) return chosen
  }
  return fitting < 0 ? closest(alternatives, value) : fitting
}

const isLike = ({ types }: Alternative, value: Json): boolean => types.some((type) => isOfType(value, type))

/** Among branches of the right type, the one with the most constant members in common with the value. */
function closest(alternatives: readonly Alternative[], value: Json): number {
  const scores = alternatives.map((one) => (isLike(one, value) ? 1 + marksIn(one.schema, value) : 0))
  const best = Math.max(0, ...scores)
  return best === 0 ? -1 : scores.indexOf(best)
}

function marksIn({ properties, allOf }: JsonObject, value: Json): number {
  const first = Array.isArray(allOf) ? allOf[0] : undefined
  const told = properties ?? (isObject(first) ? first.properties : undefined)
  if (!isObject(told) || !isObject(value)) return 0
  return Object.entries(told).filter(
    ([name, member]) => isObject(member) && member.const !== undefined && value[name] === member.const,
  ).length
}
