// Estimates whether a key chosen by a person could be guessed. The estimate is an upper bound: a key below the limit is too weak.
import type { GatewayConfig } from '../config/gateway-config.js'

const leastBits = 128
const least = 22
const alphabets: readonly (readonly [RegExp, number])[] = [
  [/^\d+$/, 10],
  [/^[0-9a-f]+$/, 16],
  [/^[0-9A-F]+$/, 16],
]
const kinds: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[^a-zA-Z0-9]/, 2],
]
/** Words that people often use in keys; they add no strength. */
const words =
  /password|passwd|passphrase|secret|admin|operator|toolwire|gateway|change|please|default|example|letmein|welcome|qwertyuiop|qwerty|asdfghjkl|master|token|test|root|user|key/gi

/** Bits that a key has at most. */
function keyBits(key: string): number {
  const own = withoutSteps(unitOf(key.replaceAll(words, '')))
  const size =
    alphabets.find(([only]) => only.test(own))?.[1] ?? kinds.reduce((sum, [has, more]) => sum + (has.test(own) ? more : 0), 0)
  return Math.floor(own.length * Math.log2(Math.max(size, 1)))
}

/** Throws if the operator's key is weak enough to be guessed. */
export function checkKeyStrength({ apiKey }: Pick<GatewayConfig, 'apiKey'>): void {
  if (apiKey === undefined || isStrongKey(apiKey)) return
  throw new Error(
    `TOOLWIRE_API_KEY is too weak. A caller who guesses it controls the gateway, and it has only about ${Math.min(keyBits(apiKey), apiKey.length * 6)} of the ${leastBits} required bits. Create a strong key with: openssl rand -hex 32`,
  )
}

export const isStrongKey = (key: string): boolean => key.length >= least && keyBits(key) >= leastBits

/** The repeated unit of a text: "abcabcabc" is no stronger than "abc". */
function unitOf(text: string): string {
  const at = `${text}${text}`.indexOf(text, 1)
  return at > 0 && at < text.length ? text.slice(0, at) : text
}

/** Drops steady steps: of "aaaa", "1234" and "dcba" only the first two characters count. */
function withoutSteps(text: string): string {
  const step = (at: number) => text.charCodeAt(at) - text.charCodeAt(at - 1)
  return [...text.split('').keys()]
    .filter((at) => at < 2 || Math.abs(step(at)) > 1 || step(at) !== step(at - 1))
    .map((at) => text[at])
    .join('')
}
