// Tells a secret from a word, an example or a number.

const asciiCounts = new Uint32Array(128)

/** Shannon entropy, in bits per character. ASCII is counted in a table, because most texts that may be secrets are ASCII. */
export function entropy(text: string): number {
  const { length } = text
  asciiCounts.fill(0)
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= asciiCounts.length) return entropyOfLetters(text)
    asciiCounts[code]!++
  }
  let sum = 0
  for (const count of asciiCounts) if (count > 0) sum -= (count / length) * Math.log2(count / length)
  return sum
}

function entropyOfLetters(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const { length } = text
  return [...counts.values()].reduce((sum, count) => sum - (count / length) * Math.log2(count / length), 0)
}

/** True if the text looks random, which examples such as xxxx… do not. */
export const isRandom = (found: string): boolean => entropy(found) >= 2.8 && /\d/.test(found)

/** True if hexadecimal digits look random. */
export const isRandomHex = (found: string): boolean => entropy(found) >= 2.5

export const isNotExample = (found: string): boolean => !/example/i.test(found) && entropy(found) >= 2.5

const placeholder =
  /example|change[_-]?me|placeholder|redacted|your[_-]|x{4}|\*{3}|\.{3}|1234567|^(?:process|os|env|config|settings|self|this)\./i

/** True for a value that looks like a real password or key, and not like a placeholder. */
export function looksAssigned(value: string): boolean {
  if (value.length < 8 || placeholder.test(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  const isMixed = /[^a-z0-9]/.test(value) && /[A-Z]|[^A-Za-z0-9._-]/.test(value)
  return value.length < 16
    ? isMixed && entropy(value) >= 2.75
    : entropy(value) >= 3.2 && !isCounted.test(value) && !isDate.test(value)
}

// Names with a number at the end, and dates.
const isCounted = /^[A-Za-z]+(?:[._/-][A-Za-z]+){0,12}[._/-]?\d{1,4}$/
const isDate = /^\d{4}-\d\d-\d\d/

const commonPasswords = new Set('password passwd pass pwd secret user username postgres root guest test token'.split(' '))

/** True for a password in a URL, unless it is a placeholder or a common word. */
export const isPassword = (found: string): boolean =>
  !commonPasswords.has(found.toLowerCase()) && !/^(?:[x*.]+|%s|:.*|\d{1,5})$/i.test(found)

/** The header of a JWT is JSON and names an algorithm. */
export const isJwt = firstPartIs((text) => {
  const header: unknown = JSON.parse(text)
  return typeof header === 'object' && header !== null && ('alg' in header || 'enc' in header)
})

/** The first part of a Discord bot token is the bot's numeric id. */
export const isSnowflake = firstPartIs((text) => /^\d{17,20}$/.test(text))

function firstPartIs(holds: (text: string) => boolean): (found: string) => boolean {
  return (found) => {
    try {
      return holds(atob(found.slice(0, found.indexOf('.')).replaceAll('-', '+').replaceAll('_', '/')))
    } catch {
      return false // not base64, or not JSON where it must be
    }
  }
}
