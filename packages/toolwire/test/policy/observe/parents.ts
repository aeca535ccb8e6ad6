// Valid and invalid values of `traceparent`.
import fc from 'fast-check'

export const traceId = '0af7651916cd43dd8448eb211c80319c'
export const spanId = 'b7ad6b7169203331'
export const good = `00-${traceId}-${spanId}-01`

/** Follows the recommendation, character by character. */
export function isValid(text: string): boolean {
  const lowerHex = (from: number, to: number) => [...text.slice(from, to)].every((digit) => '0123456789abcdef'.includes(digit))
  if (text.length < 55 || text[2] !== '-' || text[35] !== '-' || text[52] !== '-') return false
  if (!lowerHex(0, 2) || !lowerHex(3, 35) || !lowerHex(36, 52) || !lowerHex(53, 55)) return false
  if (/^0*$/.test(text.slice(3, 35)) || /^0*$/.test(text.slice(36, 52))) return false
  const version = text.slice(0, 2)
  if (version === 'ff') return false
  return version === '00' ? text.length === 55 : text.length === 55 || text[55] === '-'
}

const characters = fc.constantFrom(...'0123456789abcdefABCDEFg-_ .,;\n\0١é\u{1f600}')
const cut = fc.tuple(fc.nat(56), fc.nat(3), fc.array(characters, { maxLength: 4 }))

/** A valid value with some characters replaced, which may still be valid. */
export const mangled = fc
  .array(cut, { minLength: 1, maxLength: 3 })
  .map((cuts) =>
    cuts.reduce((was, [at, gone, put]) => was.slice(0, at) + put.join('') + was.slice(at + gone), good).toWellFormed(),
  )
