import type { Json } from './json.js'

// What JSON calls a number, and nothing else: no hexadecimal, no spaces inside, no thousands.
const form = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** What was typed as a number: the text itself where it is none, so that nothing is lost and the check can say what is wrong. */
export function numberTyped(text: string): Json | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const number = form.test(trimmed) ? Number(trimmed) : Number.NaN
  return Number.isFinite(number) ? number : trimmed
}

/** The text for a value in a field for numbers: what was typed as long as it says the same, because 1.0 is on the way to 1.05. */
export function numberShown(value: Json | undefined, typed: string | undefined): string {
  if (typed !== undefined && numberTyped(typed) === value) return typed
  if (value === undefined) return ''
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Says so where a number is not held with all of its digits. */
export function inexact(typed: string | undefined, value: Json | undefined): string | undefined {
  const digits = typed?.trim() ?? ''
  if (typeof value !== 'number' || !/^-?\d+$/.test(digits) || BigInt(digits) === BigInt(value)) return undefined
  return `It has more digits than JSON numbers keep: ${BigInt(value)} will be sent.`
}
