// Finds the structured result of a call in the place that the revision has for it.
import { isObject, type Json, JsonError, parseJson } from '../json.js'
import type { CallResult } from '../tools/call-result.js'
import { metaKeys } from './meta-keys.js'

/** The structured result is the JSON of the last text, or the `result` member of the structured object. */
export type StructuredPlace = 'text' | 'wrapped'

/** Returns the structured result of a call, or the whole result if there is none. */
export function structuredValue(result: CallResult): Json | CallResult {
  const { structuredContent, _meta } = result
  const shelter = _meta?.[metaKeys.structured]
  // `structuredContent` has been validated, so a text never replaces it.
  if (structuredContent === undefined) {
    const value = shelter === 'text' ? inText(result) : undefined
    return value === undefined ? result : value
  }
  const isWrapped = shelter === 'wrapped' && isObject(structuredContent) && structuredContent.result !== undefined
  return isWrapped ? (structuredContent.result as Json) : structuredContent // not undefined, as checked
}

/** Invalid JSON is no error here, because an intermediary may have shortened the text. */
function inText({ content }: CallResult): Json | undefined {
  const last = content.findLast(({ type }) => type === 'text')
  if (last?.type !== 'text') return undefined
  try {
    return parseJson(last.text)
  } catch (thrown) {
    if (thrown instanceof JsonError) return undefined
    throw thrown
  }
}
