// The result of a call, in the words of an edition.
import { isObject, type Json, type JsonObject } from '../json.js'
import type { ToolResult } from '../tools/result.js'
import { encodeContent } from './encode-content.js'
import type { Revision } from './revision.js'

/** `wrapped` tells that older clients were promised an object around the structured value. */
export function encodeResult(result: ToolResult, to: Revision, wrapped = false): JsonObject {
  const encoded: JsonObject = { content: content(result, to), isError: result.isError }
  if (result.structured !== undefined && to.structured !== 'none') {
    const shaped = to.structured === 'any' ? result.structured : asObject(result.structured, wrapped)
    if (shaped !== undefined) encoded.structuredContent = shaped
  }
  if (result.meta) encoded._meta = result.meta
  return encoded
}

/** Some readers want at least one block, and none minds: nothing said is said as an empty text. */
function content(result: ToolResult, to: Revision): Json[] {
  return result.content.length > 0 ? result.content.map((block) => encodeContent(block, to)) : [{ type: 'text', text: '' }]
}

function asObject(value: Json, wrapped: boolean): JsonObject | undefined {
  if (wrapped) return { result: value }
  return isObject(value) ? value : undefined
}
