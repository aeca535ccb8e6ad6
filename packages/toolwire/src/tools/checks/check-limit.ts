import type { Limit } from '../tool.js'
import { definitionError } from './definition-error.js'
import { checkOptions, optionsOf } from './known-options.js'

const periods: readonly unknown[] = ['second', 'minute', 'hour', 'day'] satisfies Limit['per'][]

const options = optionsOf<Limit>()('calls per burst')

/** Throws for an invalid limit, which would let everything through. */
export function checkLimit(limit: Limit, name = 'limit'): void {
  checkOptions(`\`${name}\``, limit, options)
  const { calls, per, burst = calls } = limit
  const like = "{ calls: 5, per: 'hour' }"
  if (!isCount(calls)) throw definitionError(`\`${name}.calls\` must be a whole number above 0: ${like}`)
  if (!periods.includes(per)) throw definitionError(`\`${name}.per\` is 'second', 'minute', 'hour' or 'day': ${like}`)
  if (!isCount(burst)) throw definitionError(`\`${name}.burst\` must be a whole number above 0`)
}

const isCount = (value: number): boolean => Number.isInteger(value) && value > 0
