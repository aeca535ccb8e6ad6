// Arguments go to their tool as they are. Where they are shown in passing or written down, secrets stay out.
import { finish } from '../../bounds/steps.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { isHiddenInViews } from '../../text/secrets/secret-names.js'
import { passageFinderFor } from './finder.js'
import { removalNotice, withNotices } from './notices.js'
import { Findings, sanitizeRules } from './sanitize-rules.js'

const off = Object.fromEntries(sanitizeRules.map((rule) => [rule, 'off'])) as Record<(typeof sanitizeRules)[number], 'off'>
const rules = { ...off, secrets: 'strip' } as const

/**
 * The text without what looks like a secret, or sounds like one by the name that it stands under.
 *
 * @example
 * ```ts
 * console.error(hideSecrets('The password is "hunter2".'))
 * ```
 */
export function hideSecrets(text: string, name = ''): string {
  if (name !== '' && text !== '' && isHiddenInViews(name)) return removalNotice('secrets', 'named-secret')
  const finder = passageFinderFor(rules, [])
  return finder.none(text) ? text : finish(withNotices(text, finder.find, new Findings(rules)))
}

/** A copy without secrets, in values and in names; of names that are the same then, the last counts. */
export const withoutSecrets = (args: JsonObject): JsonObject => hidden(args, '') as JsonObject // an object stays one

function hidden(value: Json | undefined, name: string): Json | undefined {
  if (typeof value === 'string') return hideSecrets(value, name)
  if (Array.isArray(value)) return value.map((item) => hidden(item, name) ?? null)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideSecrets(key), hidden(item, key)]))
}
