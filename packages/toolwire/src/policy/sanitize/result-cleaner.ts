import type { Json } from '../../json.js'
import { allowedLinks } from '../../text/links.js'
import type { ToolResult } from '../../tools/result.js'
import { cleanCharacters } from './clean-characters.js'
import { ContentCleaner } from './cleaner.js'
import { passageFinderFor } from './finder.js'
import type { SanitizeOptions } from './index.js'
import { longTextsIn, longTextsOf, type SearchedTexts, searchLongTexts, toldAgain } from './long-texts.js'
import { needsNoCleaning } from './needs-no-cleaning.js'
import { withNotices } from './notices.js'
import { defaultSanitizeRules, defaultSizes, Findings } from './sanitize-rules.js'

export type CleanResult = (result: ToolResult) => ToolResult

/** Cleans one thing after the other: results as a whole, and all else with a cleaner for each. All throw Unsafe for what is refused. */
export type ResultCleaning = {
  readonly result: CleanResult
  /** The same, but long texts yield to other work while they are searched. */
  readonly inTurns: (result: ToolResult) => ToolResult | Promise<ToolResult>
  readonly make: () => ContentCleaner
  /** What makes cleaners for this value, once its long texts were searched in turns; undefined where it has none. */
  readonly prepare?: (value: Json) => Promise<() => ContentCleaner> | undefined
}

export function resultCleaning(options: SanitizeOptions): ResultCleaning {
  const rules = { ...defaultSanitizeRules, ...options.rules }
  const sizes = { ...defaultSizes, ...options.sizes }
  const finder = passageFinderFor(rules, options.secrets ?? [])
  const standard = { sizes, isLink: allowedLinks(options.schemes), find: finder.find }
  const isUntouched = options.sizes ? () => false : needsNoCleaning(finder)
  const make = () => new ContentCleaner(new Findings(rules), standard)
  const knowing = (known: SearchedTexts) => {
    const findings = new Findings(rules)
    const clean = (text: string) => toldAgain(known.cleaned, text, findings) ?? cleanCharacters(text, findings)
    const note = (text: string) => toldAgain(known.noted, text, findings) ?? withNotices(text, finder.find, findings)
    return new ContentCleaner(findings, { ...standard, clean, note })
  }
  return {
    make,
    result: (result) => (isUntouched(result) ? result : make().result(result)),
    inTurns(result) {
      if (isUntouched(result)) return result
      const long = longTextsIn(result)
      return long
        ? searchLongTexts(long, finder, { rules, sizes }).then((known) => knowing(known).result(result))
        : make().result(result)
    },
    prepare(value) {
      const long = longTextsOf(value)
      return long && searchLongTexts(long, finder, { rules, sizes }).then((known) => () => knowing(known))
    },
  }
}
