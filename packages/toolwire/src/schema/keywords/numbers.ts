import { type Keyword, keyword } from '../dialects/keyword.js'
import { type ArgumentShape, number, positive } from '../dialects/shapes.js'

type Bound = (value: number, limit: number) => boolean

const bound = (name: string, shape: ArgumentShape<number>, words: string, holds: Bound): Keyword =>
  keyword(name, shape, (limit) => {
    const expected = `a number that is ${words} ${limit}`
    return (value, run) => typeof value !== 'number' || holds(value, limit) || run.fail(name, expected, value)
  })

export const numeric = [
  bound('minimum', number, 'at least', (value, least) => value >= least),
  bound('maximum', number, 'at most', (value, most) => value <= most),
  bound('exclusiveMinimum', number, 'more than', (value, limit) => value > limit),
  bound('exclusiveMaximum', number, 'less than', (value, limit) => value < limit),
  bound('multipleOf', positive, 'a multiple of', isMultiple),
]

/** Divides as decimals, because decimal fractions have no exact binary form (0.3 % 0.1 is not 0). */
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
