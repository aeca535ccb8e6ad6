// Secrets may pass neither through a client's form nor through headers, which intermediaries can read. spec 2026-07-28,
// client/elicitation#user-interaction-model
import { isObject, type Json } from '../../json.js'
import { normalized } from '../normalized.js'

/** Names in lower case, with spaces between their words. */
const secrets = [
  'password, passwd, pwd, pass word, passphrase, pass phrase, passcode, pass code, passwords',
  'secret, secrets, client secret, secret key, credential, credentials, mnemonic, seed phrase, recovery phrase, recovery code',
  'api key, apikey, api keys, private key, access key, signing key, encryption key, ssh key, license key, service account key',
  'token, access token, api token, auth token, authtoken, bearer token, refresh token, access tokens, api tokens, jwt',
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
  'a account add admin an bank card choose confirm current database enter fill give here in insert is its kindly login me my new of',
  'old our paste please provide repeat retype root s server set supply tell that the this type us user username and what write your',
)

/** Names that count only alone or after words such as "your", because a pin may also be on a map. */
const onlyWholeNames = new Set(['pin'])

/** `creditCard`, `credit_card`, `CREDIT-CARD` and `Credit card` are the same words. */
function wordsOf(name: string): string[] {
  return normalized(name.slice(0, 4 * longestRead), 'NFKC')
    .slice(0, longestRead)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
}

const longestRead = 400

/** Index of the word where a secret is named, or -1. A property of a secret, such as its length, does not count. */
function placeOfSecret(words: readonly string[]): number {
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(longestPhrase, words.length - at); length > 0; length--) {
      const phrase = words.slice(at, at + length).join(' ')
      if (!phrases.has(phrase)) continue
      if (onlyWholeNames.has(phrase) && !words.slice(0, at).every((word) => wordsBefore.has(word))) continue
      if (!wordsAfter.has(words[at + length] ?? '')) return at
    }
  }
  return -1
}

export const isSensitiveName = (name: string): boolean => placeOfSecret(wordsOf(name)) !== -1

/** True if a sentence for a person begins by asking for a secret. It may mention one later without asking for it. */
function asksForSecret(sentence: string): boolean {
  const words = wordsOf(sentence)
  const at = placeOfSecret(words)
  return at !== -1 && words.slice(0, at).every((word) => wordsBefore.has(word))
}

/** A yes, a no or a choice from a list carries no secret. */
const takesText = (field: Json | undefined): boolean =>
  !isObject(field) || (field.type !== 'boolean' && field.type !== 'array' && !('enum' in field) && !('oneOf' in field))

/** True if a field of a form asks for a secret, by its name or by the text shown to the person. */
export function fieldAsksForSecret(name: string, field: Json | undefined, message: string): boolean {
  if (!takesText(field)) return false
  if (isSensitiveName(name) || asksForSecret(message)) return true
  if (!isObject(field)) return false
  const { title, description, format } = field
  return (
    format === 'password' ||
    (typeof title === 'string' && isSensitiveName(title)) ||
    (typeof description === 'string' && asksForSecret(description))
  )
}
