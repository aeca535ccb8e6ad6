// The kinds of values that options take.
import { longestTimer } from '../../bounds/longest-timer.js'

/** A kind of value; `possible` says after "Write" what can be written. */
export type OptionValue = { readonly fits: (value: unknown) => boolean; readonly possible: string }

const ofType = (type: string, possible: string): OptionValue => ({ fits: (value) => typeof value === type, possible })

/** Infinity means no limit. NaN, the result of a failed conversion, would mean the same silently. */
export const atLeast = (least: number): OptionValue => ({
  fits: (value) => typeof value === 'number' && value >= least,
  possible: `a number, ${least} or more`,
})

export const wholeNumber = (least: number): OptionValue => ({
  fits: (value) => Number.isInteger(value) && (value as number) >= least, // an integer is a number
  possible: `a whole number, ${least} or more`,
})

export const oneOf = (...values: readonly (string | boolean)[]): OptionValue => ({
  fits: (value) => (values as readonly unknown[]).includes(value), // any value can be looked for
  possible: values.map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`)).join(' or '),
})

export const either = (...kinds: readonly OptionValue[]): OptionValue => ({
  fits: (value) => kinds.some(({ fits }) => fits(value)),
  possible: kinds.map(({ possible }) => possible).join(' or '),
})

/** A timeout that is too long for a timer would end at once. */
export const timeoutMs: OptionValue = {
  fits: (value) => typeof value === 'number' && value > 0 && value <= longestTimer,
  possible: 'a number of milliseconds above 0, such as 60_000',
}

export const trueOrFalse = oneOf(true, false)
export const someText = ofType('string', 'a text')
export const someFunction = ofType('function', 'a function')
export const someObject: OptionValue = { fits: (value) => typeof value === 'object' && value !== null, possible: 'an object' }
export const listOf = ({ fits, possible }: OptionValue): OptionValue => ({
  fits: (value) => Array.isArray(value) && value.every(fits),
  possible: `a list, of which each item is ${possible}`,
})
/** A single text would be searched for its parts instead of its items. */
export const someTexts = listOf(someText)
export const someMoment: OptionValue = { fits: isMoment, possible: 'a number of milliseconds since 1970' }

/** Is the value a moment in time? Any other value would be no earlier than now, and so never expire. */
export function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** The value in an error message, shortened. */
export function writtenValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 64))
  if (Array.isArray(value)) return '[…]'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? '{…}' : String(value).slice(0, 64)
}
