import type { Limit } from '../tool.js'
import { definitionError } from './definition-error.js'
import { checkOptions, optionsOf } from './known-options.js'
import { oneOf, wholeNumber } from './option-values.js'

const options = optionsOf<Limit>()({ 'calls burst': wholeNumber(1), per: oneOf('second', 'minute', 'hour', 'day') })

/** Throws for an invalid limit, which would let everything through. */
export function checkLimit(limit: Limit, name = 'limit'): void {
  checkOptions(`\`${name}\``, limit, options)
  if (limit.calls === undefined || limit.per === undefined)
    throw definitionError(`\`${name}\` needs \`calls\` and \`per\`: { calls: 5, per: 'hour' }`)
}
