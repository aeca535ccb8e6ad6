import { isObject, type Json, type JsonObject } from '../../../json.js'
import type { NameCondition } from '../rule-set.js'
import { rulesProblem } from '../rules-error.js'
import type { MatchMode } from './argument-schema.js'

/** Has a glob characters with a meaning in other tools' globs, but not in ours? */
export const isUnclearGlob = (glob: string): boolean => /[[\]{}\\]|^!/.test(glob)

export function nameSchema(condition: NameCondition, at: string, read: (glob: string) => string = same): JsonObject {
  if (typeof condition === 'string') return globSchema(read(checked(condition, at)))
  if (!isList(condition)) return condition
  const globs = condition.map((glob, index) => read(checked(glob, `${at}/${index}`)))
  if (globs.every(isPlain)) return { enum: globs }
  return { anyOf: globs.map(globSchema) }
}

/** The JSON Schema of texts that fit a glob. */
export function globSchema(glob: string): JsonObject {
  if (isPlain(glob)) return { const: glob }
  const pattern = glob
    .split(/([*?])/)
    .map(patternOf)
    .join('')
  // An open beginning or end needs no anchor, and is matched faster without one.
  return { type: 'string', pattern: `^${pattern}$`.replace(openStart, '').replace(openEnd, '') }
}

const anyCharacter = '[\\s\\S]'
const openStart = /^\^\[\\s\\S\]\*/
const openEnd = /\[\\s\\S\]\*\$$/

function patternOf(part: string): string {
  if (part === '*') return `${anyCharacter}*`
  return part === '?' ? anyCharacter : part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const same = (glob: string) => glob
const isPlain = (glob: string) => !/[*?]/.test(glob)
const isList = (condition: NameCondition): condition is readonly string[] => Array.isArray(condition)

function checked(glob: string, at: string): string {
  if (glob === '') throw rulesProblem(at, 'a name is not empty; leave the condition out to match every name')
  if (isUnclearGlob(glob))
    throw rulesProblem(
      at,
      'a glob knows * and ? only; write a list of globs, or a JSON Schema such as { const: … } or { pattern: … }',
    )
  return glob
}

const negations: ReadonlySet<string> = new Set(['not', 'if', 'oneOf'])
const negatedPattern = /\(\?<?!|\[\^|\\[DSWBP]/

/** True if a condition fits all names except some. To allow a call, it is enough that the condition could be one. */
export function excludesNames(condition: NameCondition, way: MatchMode): boolean {
  if (typeof condition === 'string' || isList(condition)) return false
  if (way === 'sure') return excludes(condition)
  const { not, ...others } = condition
  return not !== undefined && Object.keys(others).length === 0 && !excludes(not)
}

function excludes(part: Json | undefined): boolean {
  if (Array.isArray(part)) return part.some(excludes)
  if (!isObject(part)) return false
  return Object.entries(part).some(
    ([key, value]) => negations.has(key) || (key === 'pattern' && negatedPattern.test(String(value))) || excludes(value),
  )
}
