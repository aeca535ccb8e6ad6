import type { Check, ValidationRun } from '../compiler/validation-run.js'
import { keyword } from '../dialects/keyword.js'
import { count, regex } from '../dialects/shapes.js'

export const minLength = keyword('minLength', count, (least): Check => {
  const expected = `a string of at least ${characters(least)}`
  return (value, run) => typeof value !== 'string' || isAtLeast(value, least, run) || run.fail('minLength', expected, value)
})

export const maxLength = keyword('maxLength', count, (most): Check => {
  const expected = `a string of at most ${characters(most)}`
  return (value, run) => typeof value !== 'string' || !isAtLeast(value, most + 1, run) || run.fail('maxLength', expected, value)
})

export const pattern = keyword('pattern', regex, (source, site): Check => {
  const compiled = site.pattern(source)
  const expected = `a string that matches ${source}`
  return (value, run) => {
    if (typeof value !== 'string') return true
    return compiled.test(value, run) || run.fail('pattern', expected, value)
  }
})

/** Length counts characters, not UTF-16 units; they are counted only where the units leave it open. */
function isAtLeast(value: string, least: number, run: ValidationRun): boolean {
  if (value.length < least) return false
  if (value.length >= least * 2) return true
  run.spend(value.length >> 6)
  let characters = 0
  for (const _ of value) characters++
  return characters >= least
}

function characters(length: number): string {
  return length === 1 ? '1 character' : `${length} characters`
}
