import type { ToolResult } from '../../tools/result.js'
import type { SanitizeOptions } from '../sanitize.js'
import { Cleaner } from './cleaner.js'
import { finderFor } from './finder.js'
import { linkCheck } from './links.js'
import { Findings, usualRules, usualSizes } from './rules.js'
import { untouchedBy } from './untouched.js'

export type Clean = (result: ToolResult) => ToolResult

/** Cleans one thing after the other: results as a whole, and all else with a cleaner for each. Both throw Unsafe for what is refused. */
export type Cleaning = { readonly result: Clean; readonly make: () => Cleaner }

export function cleaningOf(options: SanitizeOptions): Cleaning {
  const rules = { ...usualRules, ...options.rules }
  const finder = finderFor(rules, options.secrets ?? [])
  const standard = { sizes: { ...usualSizes, ...options.sizes }, isLink: linkCheck(options.schemes), find: finder.find }
  const isUntouched = options.sizes ? () => false : untouchedBy(finder)
  const make = () => new Cleaner(new Findings(rules), standard)
  return { make, result: (result) => (isUntouched(result) ? result : make().result(result)) }
}
