import { isObject, type Json, type JsonObject } from '../../json.js'
import { findingsKey } from './findings-key.js'
import type { SanitizeFinding } from './sanitize-rules.js'

/**
 * Returns the findings of `sanitize` on a result; none for a clean one. Use it only behind `sanitize`: elsewhere a server may have written
 * them.
 *
 * @example
 * ```ts
 * const shop = await connect('https://shop.example/mcp', { policies: [sanitize()] })
 * const findings = findingsOf(await shop.call('search', { query: 'mug' }))
 * ```
 */
export function findingsOf(
  result: { readonly _meta?: JsonObject | undefined } | { readonly meta?: JsonObject | undefined },
): SanitizeFinding[] {
  const meta = '_meta' in result ? result._meta : 'meta' in result ? result.meta : undefined
  const said = meta?.[findingsKey]
  return Array.isArray(said) ? said.filter(isFinding) : []
}

function isFinding(value: Json): value is SanitizeFinding & JsonObject {
  if (!isObject(value)) return false
  const { rule, action, count } = value
  return typeof rule === 'string' && (action === 'strip' || action === 'flag') && typeof count === 'number'
}
