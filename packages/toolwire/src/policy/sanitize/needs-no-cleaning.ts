import type { Json } from '../../json.js'
import type { PassageFinder } from '../../text/search/passages.js'
import { isSecretName } from '../../text/secrets/secret-names.js'
import type { Content } from '../../tools/content.js'
import type { ToolResult } from '../../tools/result.js'
import { isPlainText } from './clean-characters.js'
import { findingsKey } from './findings-key.js'

// More blocks than most results have; longer results take the full check.
const mostBlocks = 16
const longestText = 4_096
const deepest = 8
const mostNames = 1_000

/** Tells results apart that no rule can be about: most, and nothing is made anew for them. Texts, and nothing but texts, are looked at. */
export function needsNoCleaning({ none }: PassageFinder): (result: ToolResult) => boolean {
  const quietNames = new Set<string>()

  const isQuiet = (text: string): boolean => text.length <= longestText && isPlainText(text) && none(text)

  function isQuietName(name: string): boolean {
    if (quietNames.has(name)) return true
    if (!isQuiet(name) || isSecretName(name)) return false
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
    content.every((block: Content | null) => block?.type === 'text' && isUntouched(block as object as Json, 0)) && // strangers send anything
    isUntouched(structured, 0)
}
