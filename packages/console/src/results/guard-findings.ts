// What the guard did to a result, or noticed in it. It stands in the result's `_meta`.
import { isObject, type Json } from '../schemas/json.js'

const findingsKey = 'dev.toolwire/findings'

/** One thing that the guard found: taken out, or only noticed. */
export type GuardFinding = {
  readonly words: string
  readonly taken: boolean
  readonly count: number
  readonly kinds: readonly string[]
}

const found: { readonly [rule: string]: string } = {
  terminal: 'escape sequences of terminals',
  controls: 'control characters',
  invisible: 'invisible characters',
  bidi: 'characters that reorder text',
  size: 'content over the size limit',
  media: 'media with a wrong type',
  links: 'links to forbidden hosts',
  secrets: 'possible secrets',
  active: 'active markup',
  instructions: 'instructions to the model',
}

/** The findings in a result, and none for one that is clean. */
export function guardFindings(result: Json): readonly GuardFinding[] {
  const meta = isObject(result) ? result._meta : undefined
  const said = isObject(meta) ? meta[findingsKey] : undefined
  return Array.isArray(said) ? said.flatMap(findingOf) : []
}

function findingOf(said: Json): GuardFinding[] {
  if (!isObject(said)) return []
  const { rule, action, count, kinds } = said
  if (typeof rule !== 'string' || typeof count !== 'number') return []
  const words = Object.hasOwn(found, rule) ? (found[rule] ?? rule) : rule
  const named = Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === 'string') : []
  return [{ words, taken: action === 'strip', count, kinds: named }]
}
