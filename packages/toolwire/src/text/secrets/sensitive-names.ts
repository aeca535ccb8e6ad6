// Names whose values are secrets. These may pass neither through a client's form nor through headers, which intermediaries can read, and
// views and logs do not show them. spec 2026-07-28, client/elicitation#user-interaction-model
import { BoundedMap } from '../../bounds/bounded-map.js'
import { isObject, type Json } from '../../json.js'
import { foldText } from '../folded-text.js'
import { latePattern } from '../late-pattern.js'
import { normalized } from '../normalized.js'

/** Names in lower case, with spaces between their words. A plural, or a number at the end, names the same secret. */
const secrets = [
  'password, passwd, pwd, pass word, pass, passphrase, pass phrase, passcode, pass code',
  'secret, client secret, secret key, credential, mnemonic, seed phrase, recovery phrase, recovery code',
  'api key, apikey, private key, access key, signing key, encryption key, ssh key, license key, service account key',
  'token, access token, api token, auth token, authtoken, bearer token, bearer, refresh token, session token, id token, csrf token',
  'jwt, authorization, cookie, session cookie, auth cookie',
  'one time code, one time password, otp, totp, verification code, two factor code, 2fa code, mfa code',
  'credit card, creditcard, debit card, bank card, payment card, card number, cardnumber, card no, card security code',
  'cvv, cvv2, cvc, cvc2, security code, iban, account number, bank account, routing number, sort code',
  'ssn, social security, social security number, pin, pin code, pin number',
].flatMap((line) => line.split(', '))
const phrases = new Set(secrets)
const longestPhrase = Math.max(...secrets.map((phrase) => phrase.split(' ').length))

const wordSet = (...lines: readonly string[]) => new Set(lines.flatMap((line) => line.split(' ')))

/** Words after a secret's name that change its meaning, for example to its length, issuer or expiry. */
const wordsAfter = wordSet(
  'age address amount brand budget cost count counts counter enabled expires expiry expiration fee format free hint holder id ids',
  'issuer kind length less level lifetime limit limits manager name names network option options policy policies price protected',
  'protection provider required requirements reset rotation rules santa size standard status strength supply symbol ttl type types',
  'usage window',
)

/** Words that a title or a sentence may begin with before it names the secret. */
const wordsBefore = wordSet(
  'a account add admin an bank card choose confirm current database db enter fill give here http in insert is its kindly login me my',
  'new of old our paste please provide proxy repeat retype root s server set smtp supply tell that the this type us user username and',
  'what write x your',
)

/** Names that count only alone or after words such as "your", because a pin may also be on a map. */
const onlyWholeNames = new Set(['pin', 'pass', 'authorization', 'bearer', 'cookie'])
/** Of these, names that count only at the end: neither a pass rate nor cookie settings are secret. */
const onlyLastNames = new Set(['pass', 'authorization', 'bearer', 'cookie'])

/** Words before tokens that open nothing, and before numbers of tokens. */
const wordsBeforeOtherTokens = wordSet(
  'completion continuation cursor how input many max maximum min minimum n next num number output page pagination prev previous progress',
  'prompt remaining start sync total used',
)

/** Ends of names that are written in one word, such as dbpassword. Shorter secrets end other words, too. */
const ends = ['token', ...secrets.map((phrase) => phrase.replaceAll(' ', ''))]
  .filter((end) => (end.length > 5 || end === 'token') && !onlyWholeNames.has(end))
  .join('|')
const endOfWord = new RegExp(`(?:${ends})(?:key|token|value|pem)?$`)

const longestRead = 400

const unread = latePattern(String.raw`[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]`, 'gu')
const startOfWord = latePattern(String.raw`([\p{Ll}\d])(\p{Lu})`, 'gu')
const startAfterCapitals = latePattern(String.raw`(\p{Lu})(\p{Lu}\p{Ll})`, 'gu')
const betweenWords = latePattern(String.raw`[^\p{L}\d]+`, 'u')

/** `creditCard`, `credit_card`, `CREDIT-CARD`, `Credit card` and look-alikes are the same words. */
function wordsOf(name: string): string[] {
  const read = name.length > longestRead ? `${name.slice(0, longestRead / 2)} ${name.slice(-longestRead / 2)}` : name
  return normalized(read, 'NFKD')
    .replace(unread(), '')
    .replace(startOfWord(), '$1 $2')
    .replace(startAfterCapitals(), '$1 $2')
    .split(betweenWords())
    .flatMap((word) => (word === '' ? [] : foldText(word).text))
}

/** A secret that is named, and whether as a plural. Tokens alone may also be bought or counted. */
type NamedSecret = { readonly at: number; readonly isPlural: boolean; readonly isTokens: boolean }

/** The place where words name a secret. A property of a secret, such as its length, does not count. */
function namedSecret(words: readonly string[]): NamedSecret | undefined {
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(longestPhrase, words.length - at); length > 0; length--) {
      const named = secretAt(words, at, length)
      if (named && !wordsAfter.has(words[at + length] ?? '')) return named
    }
  }
  return undefined
}

function secretAt(words: readonly string[], at: number, length: number): NamedSecret | undefined {
  const before = words.slice(0, at)
  const start = words.slice(at, at + length - 1).join(' ')
  const spellings = spellingsOf(words[at + length - 1] ?? '').map((spelling) => ({
    ...spelling,
    phrase: start === '' ? spelling.text : `${start} ${spelling.text}`,
  }))
  const whole = spellings.find(({ phrase }) => phrases.has(phrase))
  if (!whole) {
    const part = length > 1 ? undefined : spellings.find(({ text }) => endOfWord.test(text))
    if (!part || isOtherToken([...before, part.text.replace(/token$/, '')], part.text)) return undefined
    return { at, isPlural: part.isPlural, isTokens: false }
  }
  const { phrase, isPlural } = whole
  if (onlyWholeNames.has(phrase) && !before.every((word) => wordsBefore.has(word))) return undefined
  if (onlyLastNames.has(phrase) && at + length < words.length) return undefined
  if (phrase === 'token' && isOtherToken(before, phrase)) return undefined
  return { at, isPlural, isTokens: phrase === 'token' && isPlural }
}

const isOtherToken = (before: readonly string[], name: string): boolean =>
  name.endsWith('token') && before.some((word) => wordsBeforeOtherTokens.has(word))

type Spelling = { readonly text: string; readonly isPlural: boolean }

/** The word itself, and without a number at its end, a plural, and figures in place of letters. */
function spellingsOf(word: string): readonly Spelling[] {
  const bare = word.replace(/\d+$/, '')
  const lettered = bare.replace(/[013457]/g, (figure) => figures[figure] ?? figure)
  return [word, bare, lettered].flatMap((text) => [
    { text, isPlural: false },
    ...(text.endsWith('s') ? [{ text: text.slice(0, -1), isPlural: true }] : []),
  ])
}

const figures: { readonly [figure: string]: string } = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't' }

const mostKnown = 1_000
const known = new BoundedMap<string, NamedSecret | 'none'>(mostKnown)

function namedBy(name: string): NamedSecret | undefined {
  const before = name.length > longestKnown ? undefined : known.get(name)
  if (before !== undefined) return before === 'none' ? undefined : before
  const found = namedSecret(wordsOf(name))
  if (name.length <= longestKnown) known.set(name, found ?? 'none')
  return found
}

const longestKnown = 64

/** True for the name of a secret that nothing should ask for or pass on in the open. */
export const isSensitiveName = (name: string): boolean => namedBy(name)?.isTokens === false

/** True if the name says that the value is secret. A number under a plural, such as `tokens: 12`, is a count. */
export function isSecretMember(name: string, value: unknown): boolean {
  const named = namedBy(name)
  return named !== undefined && !(named.isPlural && typeof value === 'number')
}

/** True if a sentence for a person begins by asking for a secret. It may mention one later without asking for it. */
function asksForSecret(sentence: string): boolean {
  const words = wordsOf(sentence)
  const named = namedSecret(words)
  return named?.isTokens === false && words.slice(0, named.at).every((word) => wordsBefore.has(word))
}

/** A yes, a no or a choice from a list carries no secret. */
const takesText = (field: Json | undefined): boolean =>
  !isObject(field) || (field.type !== 'boolean' && field.type !== 'array' && !('enum' in field) && !('oneOf' in field))

/** True if a field of a form asks for a secret, by its name or by the text shown to the person. */
export function fieldAsksForSecret(name: string, field: Json | undefined, message: string): boolean {
  if (!takesText(field)) return false
  const { title, description, format, type } = isObject(field) ? field : {}
  const example = type === 'number' || type === 'integer' ? 0 : ''
  const isSecret = (text: string) => isSensitiveName(text) && isSecretMember(text, example)
  if (isSecret(name) || asksForSecret(message)) return true
  return (
    format === 'password' ||
    (typeof title === 'string' && isSecret(title)) ||
    (typeof description === 'string' && asksForSecret(description))
  )
}
