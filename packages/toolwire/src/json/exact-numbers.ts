import { JsonError } from './error.js'
import { toPointer } from './pointer.js'
import type { Json } from './value.js'
import { type TextPath, walkText } from './walk-text.js'

/** Returns true if a number that JavaScript cannot hold is handled in another way. */
export type NumberExemption = (literal: string, path: TextPath, whole: Json) => boolean

/** Large numbers in one text; checking each takes about a microsecond. */
const mostLarge = 50_000

/** Throws for the first number in a text that would be written back as another number. `whole` is the parsed text. */
export function checkExactNumbers(text: string, whole: Json, held?: NumberExemption): void {
  let large = 0
  walkText(text, (kind, start, end, path) => {
    if (kind !== 'number') return
    const literal = text.slice(start, end)
    const size = Math.abs(Number(literal))
    if (size > 0 && size <= Number.MAX_SAFE_INTEGER) return
    if (size > 0 && ++large > mostLarge)
      throw new JsonError('number', `more than ${mostLarge} numbers beyond 2^53`, { value: whole })
    if (held?.(literal, path, whole) || isExactNumber(literal)) return
    const why = isZero(literal) ? negativeZero : 'a number that cannot be held exactly (send it as a string)'
    throw new JsonError('number', why, { at: toPointer(path), value: whole })
  })
}

/**
 * Returns whether JavaScript holds a number exactly as written. Beyond 2^53, JavaScript must write the same number back. Below, whole
 * numbers are exact, and a fraction becomes the nearest double, as in every parser. A nonzero number must not become zero, and a negative
 * zero would be written back without its sign.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  if (value === 0) return isZero(literal) && !literal.startsWith('-')
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true
  if (!Number.isFinite(value)) return false
  const written = String(value)
  return literal === written || decimalOf(literal) === decimalOf(written)
}

const negativeZero = 'a negative zero, whose sign would be lost (send 0)'

/** True if the written number is zero, with any sign. */
export const isZero = (literal: string): boolean => !/^[^eE]*[1-9]/.test(literal)

/** Normalizes a literal, so that equal values give equal text: digits without surrounding zeros, and the place of the first digit. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const digits = whole + fraction
  let first = 0
  while (digits[first] === '0') first++
  let last = digits.length
  while (digits[last - 1] === '0') last--
  return `${sign}${digits.slice(first, last)}e${Number(exponent) + whole.length - first}`
}
