import type { ToolResult } from '../../tools/result.js'
import type { SanitizeOptions } from '../sanitize.js'
import { Cleaner } from './cleaner.js'
import { finderFor } from './finder.js'
import { linkCheck } from './links.js'
import { Findings, usualRules, usualSizes } from './rules.js'
import { untouchedBy } from './untouched.js'

export type Clean = (result: ToolResult) => ToolResult

/** Cleans results; throws Unsafe for those that are refused. */
export function resultCleaner(options: SanitizeOptions): Clean {
  const rules = { ...usualRules, ...options.rules }
  const finder = finderFor(rules, options.secrets ?? [])
  const standard = { sizes: { ...usualSizes, ...options.sizes }, isLink: linkCheck(options.schemes), find: finder.find }
  const isUntouched = options.sizes ? () => false : untouchedBy(finder)
  return (result) => (isUntouched(result) ? result : new Cleaner(new Findings(rules), standard).result(result))
}
