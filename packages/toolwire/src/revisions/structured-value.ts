// The structured result of a call, wherever a revision has a place for it.
import { isObject, type Json, JsonError, parseJson } from '../json.js'
import type { CallResult } from '../tools/call-result.js'
import { metaKeys } from './meta-keys.js'

/** It is the JSON in the last text, or the one member of the object that is there. */
export type StructuredPlace = 'text' | 'wrapped'

/** What a function that stands for a tool gives back: the structured result, or the whole where there is none. */
export function structuredValue(result: CallResult): Json | CallResult {
  const { structuredContent, _meta } = result
  const shelter = _meta?.[metaKeys.structured]
  // What came as structured has been checked: nothing beside it takes its place.
  if (structuredContent === undefined) {
    const value = shelter === 'text' ? inText(result) : undefined
    return value === undefined ? result : value
  }
  const isWrapped = shelter === 'wrapped' && isObject(structuredContent) && structuredContent.result !== undefined
  return isWrapped ? (structuredContent.result as Json) : structuredContent // it is there
}

/** Somebody between may have shortened it. */
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
