import type { ValidationRun } from '../compiler/validation-run.js'
import { keyword } from '../dialects/keyword.js'
import { count, regex } from '../dialects/shapes.js'

export const textual = [
  keyword('minLength', count, (least) => {
    const expected = `a string of at least ${characters(least)}`
    return (value, run) => typeof value !== 'string' || isAtLeast(value, least, run) || run.fail('minLength', expected, value)
  }),
  keyword('maxLength', count, (most) => {
    const expected = `a string of at most ${characters(most)}`
    return (value, run) => typeof value !== 'string' || !isAtLeast(value, most + 1, run) || run.fail('maxLength', expected, value)
  }),
  keyword('pattern', regex, (source, site) => {
    const compiled = site.pattern(source)
    const expected = `a string that matches ${source}`
    return (value, run) => typeof value !== 'string' || compiled.test(value, run) || run.fail('pattern', expected, value)
  }),
]

/** Length counts characters, which takes time, so they are counted only if the number of UTF-16 units leaves the answer open. */
function isAtLeast(value: string, least: number, run: ValidationRun): boolean {
  if (value.length < least) return false
  if (value.length >= least * 2) return true
  run.spend(value.length >> 6)
  let characters = value.length
  // Both halves of a pair are one character. An iterator would take ten times as long.
  for (let at = 1; at < value.length; at++) if (isHalf(value, at, 0xdc00) && isHalf(value, at - 1, 0xd800)) characters--
  return characters >= least
}

const isHalf = (text: string, at: number, first: number): boolean => (text.charCodeAt(at) & 0xfc00) === first

const characters = (length: number): string => (length === 1 ? '1 character' : `${length} characters`)
