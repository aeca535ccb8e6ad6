import { JsonError } from './error.js'
import { toPointer } from './pointer.js'
import type { Json } from './value.js'
import { segmentsOf, type TextPath, walkText } from './walk-text.js'

/** Whether a number that JavaScript does not hold is taken care of otherwise. */
export type NumberExemption = (literal: string, path: TextPath, whole: Json) => boolean

/** Looking at one takes about a microsecond. */
const mostLarge = 50_000

/** Refuses a text, whose value is `whole`, for the first number in it that would be written again as another. */
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
    const why = 'a number that cannot be held exactly (send it as a string)'
    throw new JsonError('number', why, { at: toPointer(segmentsOf(path)), value: whole })
  })
}

/**
 * Whether JavaScript holds a number as it is written. Beyond 2^53 it has to write the same number again; below, whole numbers are
 * exact, and a fraction is the nearest double, as every reader takes it. What is not zero must not become it.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  if (value === 0) return !/^[^eE]*[1-9]/.test(literal)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true
  if (!Number.isFinite(value)) return false
  const written = String(value)
  return literal === written || decimalOf(literal) === decimalOf(written)
}

/** Equal for literals of the same value: the digits without zeros around them, and the place of the first. */
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
