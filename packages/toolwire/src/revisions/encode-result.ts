// The result of a call, in the words of an edition.
import { isObject, type Json, type JsonObject } from '../json.js'
import type { ToolResult } from '../tools/result.js'
import { encodeContent } from './encode-content.js'
import { meta, metaOf } from './meta.js'
import type { Revision } from './revision.js'
import type { Shelter } from './structured-value.js'

/** `wrapped` tells that older clients were promised an object around the structured value. */
export function encodeResult(result: ToolResult, to: Revision, wrapped = false): JsonObject {
  const encoded: JsonObject = { content: content(result, to), isError: result.isError }
  if (result.meta) encoded._meta = result.meta
  if (result.structured === undefined) return encoded
  if (to.structured === 'none') return sheltered(encoded, 'text')
  const shaped = to.structured === 'any' ? result.structured : asObject(result.structured, wrapped)
  if (shaped !== undefined) encoded.structuredContent = shaped
  return wrapped && to.structured === 'objects' ? sheltered(encoded, 'wrapped') : encoded
}

/** A client of ours gives its caller the value that the tool's type promises, in whatever edition it came. */
const sheltered = (encoded: JsonObject, where: Shelter): JsonObject => ({
  ...encoded,
  _meta: { ...metaOf(encoded), [meta.structured]: where },
})

/** Some readers want at least one block, and none minds: nothing said is said as an empty text. */
function content(result: ToolResult, to: Revision): Json[] {
  return result.content.length > 0 ? result.content.map((block) => encodeContent(block, to)) : [{ type: 'text', text: '' }]
}

function asObject(value: Json, wrapped: boolean): JsonObject | undefined {
  if (wrapped) return { result: value }
  return isObject(value) ? value : undefined
}
