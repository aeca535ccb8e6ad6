import type { ToolResult } from '../../tools/result.js'
import type { SanitizeOptions } from '../sanitize.js'
import { Cleaner } from './cleaner.js'
import { finderFor } from './finder.js'
import { linkCheck } from './links.js'
import { cleanedAgain, longTextsIn, type Searched, searched } from './long-texts.js'
import { Findings, usualRules, usualSizes } from './rules.js'
import { cleanText } from './text.js'
import { untouchedBy } from './untouched.js'

export type Clean = (result: ToolResult) => ToolResult

/** Cleans results; throws Unsafe for those that are refused. */
export function resultCleaner(options: SanitizeOptions): Clean {
  const { isUntouched, clean } = cleaning(options)
  return (result) => (isUntouched(result) ? result : clean(result))
}

/** The same, with long texts searched in turns with whatever else there is to do. */
export function resultCleanerInTurns(options: SanitizeOptions): (result: ToolResult) => ToolResult | Promise<ToolResult> {
  const { isUntouched, clean, finder, ...standard } = cleaning(options)
  return (result) => {
    if (isUntouched(result)) return result
    const long = longTextsIn(result)
    return long ? searched(long, finder, standard).then((known) => clean(result, known)) : clean(result)
  }
}

function cleaning(options: SanitizeOptions) {
  const rules = { ...usualRules, ...options.rules }
  const sizes = { ...usualSizes, ...options.sizes }
  const finder = finderFor(rules, options.secrets ?? [])
  const isLink = linkCheck(options.schemes)
  const isUntouched = options.sizes ? () => false : untouchedBy(finder)
  const clean = (result: ToolResult, known?: Searched) => {
    const findings = new Findings(rules)
    if (!known) return new Cleaner(findings, { sizes, isLink, find: finder.find }).result(result)
    const find = (text: string) => known.passages.get(text) ?? finder.find(text)
    const clean = (text: string) => cleanedAgain(known, text, findings) ?? cleanText(text, findings)
    return new Cleaner(findings, { sizes, isLink, find, clean }).result(result)
  }
  return { rules, sizes, finder, isUntouched, clean }
}
