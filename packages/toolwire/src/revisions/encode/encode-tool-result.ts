import { isObject, type Json, type JsonObject } from '../../json.js'
import type { ToolResult } from '../../tools/result.js'
import { metaKeys, metaOf } from '../meta-keys.js'
import type { Revision } from '../revision.js'
import type { StructuredPlace } from '../structured-value.js'
import { encodeContent } from './encode-content.js'

/** `wrapped`: the output schema for older clients has an object around the structured value. */
export function encodeToolResult(result: ToolResult, to: Revision, wrapped = false): JsonObject {
  const encoded: JsonObject = { content: content(result, to), isError: result.isError }
  if (result.meta) encoded._meta = result.meta
  if (result.structured === undefined || to.structured === 'none') return encoded
  const shaped = to.structured === 'any' ? result.structured : asObject(result.structured, wrapped)
  if (shaped !== undefined) encoded.structuredContent = shaped
  return encoded
}

/** Like encodeToolResult, for a client that asked for the place of the structured value: `_meta` names it. */
export function encodeToolResultWithPlace(result: ToolResult, to: Revision, wrapped: boolean): JsonObject {
  const encoded = encodeToolResult(result, to, wrapped)
  if (result.structured === undefined || to.structured === 'any') return encoded
  if (to.structured === 'objects' && !wrapped) return encoded
  const place: StructuredPlace = to.structured === 'none' ? 'text' : 'wrapped'
  return { ...encoded, _meta: { ...metaOf(encoded), [metaKeys.structured]: place } }
}

/** Empty content becomes an empty text, because some clients need at least one block. */
const content = (result: ToolResult, to: Revision): Json[] =>
  result.content.length > 0 ? result.content.map((block) => encodeContent(block, to)) : [{ type: 'text', text: '' }]

function asObject(value: Json, wrapped: boolean): JsonObject | undefined {
  if (wrapped) return { result: value }
  return isObject(value) ? value : undefined
}
