// Arguments reach their tool unchanged. Displays and records show them without secrets.
import { finish } from '../../bounds/steps.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { normalized } from '../../text/normalized.js'
import { type PassageFinder, passageFinder } from '../../text/search/passages.js'
import { namedValues } from '../../text/secrets/named-values.js'
import { isSecretMember } from '../../text/secrets/sensitive-names.js'
import { serviceSecrets } from '../../text/secrets/service-secrets.js'
import { valueSecrets } from '../../text/secrets/value-secrets.js'
import { removalNotice, withNotices } from './notices.js'
import { Findings, sanitizeRules } from './sanitize-rules.js'

const off = Object.fromEntries(sanitizeRules.map((rule) => [rule, 'off'])) as Record<(typeof sanitizeRules)[number], 'off'>
const rules = { ...off, secrets: 'strip' } as const
const notice = removalNotice('secrets', 'named-secret')

/**
 * Replaces the secrets in a text with notices, or the whole text if `name` is one such as password.
 *
 * @example
 * ```ts
 * console.error(hideSecrets('The password is "hunter2".'))
 * ```
 */
export function hideSecrets(text: string, name = ''): string {
  return hiddenIn(text, name, { thorough: mostThorough })
}

/** Characters that are also searched for named values and for odd spellings, which takes a hundred times as long. */
const mostThorough = 40_960

type Room = { thorough: number }

function hiddenIn(text: string, name: string, room: Room): string {
  if (text !== '' && isSecretMember(name, text)) return notice
  if (text.length > room.thorough) return withoutFound(text, false)
  room.thorough -= text.length
  if (!odd.test(text)) return withoutFound(text)
  // Only the plain spelling shows where a secret begins and ends, so it takes the place of the text.
  const plain = plainlySpelt(text)
  const clean = withoutFound(plain)
  return clean === plain ? withoutFound(text) : clean
}

/** Characters that may spell a secret so that it is not recognized. */
const odd = /[\p{Cf}\p{Default_Ignorable_Code_Point}\uff01-\uff5e\u{1d400}-\u{1d7ff}]|%[2-7][0-9a-f]/iu
const mostDecodings = 3

/** The text without hidden characters, letters of another width and percent-encoding. */
function plainlySpelt(text: string): string {
  let plain = normalized(text, 'NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  for (let times = 0; times < mostDecodings && odd.test(plain); times++)
    plain = plain.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return plain
}

let finders: { readonly quick: PassageFinder; readonly thorough: PassageFinder } | undefined

function findersMade() {
  const quick = [...serviceSecrets, ...valueSecrets]
  const finderOf = (kinds: typeof quick) => passageFinder([{ rule: 'secrets', kinds }])
  return { quick: finderOf(quick), thorough: finderOf([...quick, ...namedValues]) }
}

function withoutFound(text: string, isThorough = true): string {
  finders ??= findersMade()
  const finder = isThorough ? finders.thorough : finders.quick
  return finder.none(text) ? text : finish(withNotices(text, finder.find, new Findings(rules)))
}

/** A copy without secrets, in values and in names. If names become equal, the last one counts. */
export const withoutSecrets = (args: JsonObject): JsonObject => copied(args, false, { thorough: mostThorough }) as JsonObject // an object stays one

/** Everything below the name of a secret is secret. */
function copied(value: Json | undefined, isSecret: boolean, room: Room): Json | undefined {
  if (typeof value === 'string') return isSecret && value !== '' ? notice : hiddenIn(value, '', room)
  if (typeof value === 'number') return isSecret ? notice : value
  if (Array.isArray(value)) return value.map((item) => copied(item, isSecret, room) ?? null)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      hiddenIn(key, '', room),
      copied(item, isSecret || isSecretMember(key, item), room),
    ]),
  )
}
