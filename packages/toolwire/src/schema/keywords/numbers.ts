import type { Check } from '../compiler/validation-run.js'
import { keyword } from '../dialects/keyword.js'
import { number, positive } from '../dialects/shapes.js'

export const minimum = keyword('minimum', number, (least) => bound('minimum', `at least ${least}`, (value) => value >= least))
export const maximum = keyword('maximum', number, (most) => bound('maximum', `at most ${most}`, (value) => value <= most))
export const exclusiveMinimum = keyword('exclusiveMinimum', number, (limit) =>
  bound('exclusiveMinimum', `more than ${limit}`, (value) => value > limit),
)
export const exclusiveMaximum = keyword('exclusiveMaximum', number, (limit) =>
  bound('exclusiveMaximum', `less than ${limit}`, (value) => value < limit),
)
export const multipleOf = keyword('multipleOf', positive, (step) =>
  bound('multipleOf', `a multiple of ${step}`, (value) => isMultiple(value, step)),
)

function bound(name: string, words: string, holds: (value: number) => boolean): Check {
  const expected = `a number that is ${words}`
  return (value, run) => typeof value !== 'number' || holds(value) || run.fail(name, expected, value)
}

/** Decimal fractions have no exact binary form (0.3 % 0.1 is not 0), so these are compared as decimals. */
function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0
  if (!Number.isFinite(value)) return false
  const [digits, exponent] = decimal(value)
  const [stepDigits, stepExponent] = decimal(step)
  const scale = Math.min(exponent, stepExponent)
  return (digits * 10n ** BigInt(exponent - scale)) % (stepDigits * 10n ** BigInt(stepExponent - scale)) === 0n
}

/** The shortest decimal that reads as the number: digits times ten to the power of the exponent. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = '0', power = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(power) - fraction.length]
}
