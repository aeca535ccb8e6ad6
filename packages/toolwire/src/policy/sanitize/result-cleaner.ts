import type { Json } from '../../json.js'
import type { ToolResult } from '../../tools/result.js'
import type { SanitizeOptions } from '../sanitize.js'
import { Cleaner } from './cleaner.js'
import { finderFor } from './finder.js'
import { linkCheck } from './links.js'
import { longTextsIn, longTextsOf, type Searched, searched, toldAgain } from './long-texts.js'
import { withNotices } from './notices.js'
import { Findings, usualRules, usualSizes } from './rules.js'
import { cleanText } from './text.js'
import { untouchedBy } from './untouched.js'

export type Clean = (result: ToolResult) => ToolResult

/** Cleans one thing after the other: results as a whole, and all else with a cleaner for each. All throw Unsafe for what is refused. */
export type Cleaning = {
  readonly result: Clean
  /** The same, with long texts searched in turns with whatever else there is to do. */
  readonly inTurns: (result: ToolResult) => ToolResult | Promise<ToolResult>
  readonly make: () => Cleaner
  /** What makes cleaners for this value, once its long texts were searched in turns; undefined where it has none. */
  readonly prepare?: (value: Json) => Promise<() => Cleaner> | undefined
}

export function cleaningOf(options: SanitizeOptions): Cleaning {
  const rules = { ...usualRules, ...options.rules }
  const sizes = { ...usualSizes, ...options.sizes }
  const finder = finderFor(rules, options.secrets ?? [])
  const standard = { sizes, isLink: linkCheck(options.schemes), find: finder.find }
  const isUntouched = options.sizes ? () => false : untouchedBy(finder)
  const make = () => new Cleaner(new Findings(rules), standard)
  const knowing = (known: Searched) => {
    const findings = new Findings(rules)
    const clean = (text: string) => toldAgain(known.cleaned, text, findings) ?? cleanText(text, findings)
    const note = (text: string) => toldAgain(known.noted, text, findings) ?? withNotices(text, finder.find, findings)
    return new Cleaner(findings, { ...standard, clean, note })
  }
  return {
    make,
    result: (result) => (isUntouched(result) ? result : make().result(result)),
    inTurns(result) {
      if (isUntouched(result)) return result
      const long = longTextsIn(result)
      return long
        ? searched(long, finder, { rules, sizes }).then((known) => knowing(known).result(result))
        : make().result(result)
    },
    prepare(value) {
      const long = longTextsOf(value)
      return long && searched(long, finder, { rules, sizes }).then((known) => () => knowing(known))
    },
  }
}
