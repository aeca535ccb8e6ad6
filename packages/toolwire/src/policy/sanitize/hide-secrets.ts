// Arguments reach their tool unchanged. Displays and records show them without secrets.
import { finish } from '../../bounds/steps.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { isHiddenInViews } from '../../text/secrets/secret-names.js'
import { passageFinderFor } from './finder.js'
import { removalNotice, withNotices } from './notices.js'
import { Findings, sanitizeRules } from './sanitize-rules.js'

const off = Object.fromEntries(sanitizeRules.map((rule) => [rule, 'off'])) as Record<(typeof sanitizeRules)[number], 'off'>
const rules = { ...off, secrets: 'strip' } as const

/**
 * Replaces the secrets in a text with notices, or the whole text if `name` is one such as password.
 *
 * @example
 * ```ts
 * console.error(hideSecrets('The password is "hunter2".'))
 * ```
 */
export function hideSecrets(text: string, name = ''): string {
  if (text !== '' && isHiddenInViews(name)) return removalNotice('secrets', 'named-secret')
  const finder = passageFinderFor(rules, [])
  return finder.none(text) ? text : finish(withNotices(text, finder.find, new Findings(rules)))
}

/** A copy without secrets, in values and in names. If names become equal, the last one counts. */
export const withoutSecrets = (args: JsonObject): JsonObject => hidden(args, '') as JsonObject // an object stays one

function hidden(value: Json | undefined, name: string): Json | undefined {
  if (typeof value === 'string') return hideSecrets(value, name)
  if (typeof value === 'number') return isHiddenInViews(name) ? hideSecrets(String(value), name) : value
  if (Array.isArray(value)) return value.map((item) => hidden(item, name) ?? null)
  if (!isObject(value)) return value
  // Everything below the name of a secret is secret.
  const nameOf = (key: string) => (isHiddenInViews(name) ? name : key)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideSecrets(key), hidden(item, nameOf(key))]))
}
