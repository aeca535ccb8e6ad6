import { finishInTurns } from '../../bounds/steps.js'
import type { Json } from '../../json.js'
import { allowedLinks } from '../../text/links.js'
import type { PassageFinder } from '../../text/search/passages.js'
import { isAssignedName } from '../../text/secrets/value-secrets.js'
import { withGiven } from '../../tools/checks/known-options.js'
import type { Content } from '../../tools/content.js'
import type { ToolResult } from '../../tools/result.js'
import { characterSteps, cleanCharacters, isPlainText } from './clean-characters.js'
import { ContentCleaner } from './cleaner.js'
import { passageFinderFor } from './finder.js'
import { findingsKey } from './findings-key.js'
import type { SanitizeOptions } from './index.js'
import { withNotices } from './notices.js'
import { defaultSanitizeRules, defaultSizes, Findings } from './sanitize-rules.js'

/** Cleans whole results, with pauses if that takes long, or makes a cleaner for other values. Both throw UnsafeContent. */
export type ResultCleaning = {
  readonly result: (result: ToolResult) => ToolResult | Promise<ToolResult>
  readonly make: () => ContentCleaner
}

export function resultCleaning(options: SanitizeOptions): ResultCleaning {
  const rules = withGiven(defaultSanitizeRules, options.rules)
  const sizes = withGiven(defaultSizes, options.sizes)
  const finder = passageFinderFor(rules, options.secrets ?? [])
  const isLink = allowedLinks(options.schemes)
  const isUntouched = options.sizes ? () => false : needsNoCleaning(finder)
  const make = () => {
    const findings = new Findings(rules)
    return new ContentCleaner(findings, {
      sizes,
      isLink,
      clean: (text) => cleanCharacters(text, findings),
      cleanSteps: (text) => characterSteps(text, findings),
      isQuiet: (text) => finder.none(text),
      note: (text) => withNotices(text, finder.find, findings),
    })
  }
  return { make, result: (result) => (isUntouched(result) ? result : finishInTurns(make().result(result))) }
}

// More blocks than most results have; longer results take the full check.
const mostBlocks = 16
const longestText = 4_096
const deepest = 8
const mostNames = 1_000

/** Recognizes results that no rule can change, as most are, so that they are not copied. Only results of nothing but text qualify. */
function needsNoCleaning({ none }: PassageFinder): (result: ToolResult) => boolean {
  const quietNames = new Set<string>()

  const isQuiet = (text: string): boolean => text.length <= longestText && isPlainText(text) && none(text)

  function isQuietName(name: string): boolean {
    if (quietNames.has(name)) return true
    if (!isQuiet(name) || isAssignedName(name)) return false
    if (quietNames.size < mostNames) quietNames.add(name)
    return true
  }

  function isUntouched(value: Json | undefined, depth: number): boolean {
    if (typeof value === 'string') return isQuiet(value)
    if (typeof value !== 'object' || value === null) return true
    if (depth > deepest) return false
    if (Array.isArray(value)) return value.every((item) => isUntouched(item, depth + 1))
    for (const name of Object.keys(value)) if (!isQuietName(name) || !isUntouched(value[name], depth + 1)) return false
    return true
  }

  return ({ content, structured, meta }) =>
    (meta === undefined || (!Object.hasOwn(meta, findingsKey) && isUntouched(meta, 0))) &&
    content.length <= mostBlocks &&
    content.every((block: Content | null) => block?.type === 'text' && isUntouched(block as object as Json, 0)) && // servers may send anything
    isUntouched(structured, 0)
}
