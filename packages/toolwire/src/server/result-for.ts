import type { JsonObject } from '../json.js'
import { encodeResult, encodeWithPlace } from '../revisions/encode-result.js'
import { meta, metaOf } from '../revisions/meta.js'
import type { ToolResult } from '../tools/result.js'
import type { Exchange } from './exchange.js'
import type { ServedTool } from './served-tool.js'

/** The result of a call, for the client that made it. */
export function resultFor(x: Exchange, { wrapped }: ServedTool, result: ToolResult): JsonObject {
  const asks = metaOf(x.params)?.[meta.structured] === true
  return asks ? encodeWithPlace(result, x.revision, wrapped) : encodeResult(result, x.revision, wrapped)
}
