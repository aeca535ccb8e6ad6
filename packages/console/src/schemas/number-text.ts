import { isExactNumber, type Json } from './json.js'

// What JSON calls a number, and nothing else: no hexadecimal, no spaces inside, no thousands.
const form = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** What was typed as a number: the text itself where it is none, so that nothing is lost and the check can say what is wrong. */
export function parseNumberText(text: string): Json | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return form.test(trimmed) && isExactNumber(trimmed) ? Number(trimmed) : trimmed
}

/** The text for a value in a field for numbers: what was typed as long as it says the same, because 1.0 is on the way to 1.05. */
export function numberText(value: Json | undefined, typed: string | undefined): string {
  if (typed !== undefined && parseNumberText(typed) === value) return typed
  if (value === undefined) return ''
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Says so where a number would not be held as it was typed. */
export function inexactWarning(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? ''
  if (!form.test(text) || isExactNumber(text)) return undefined
  return 'The number has too many digits for JSON, so it cannot be sent.'
}
