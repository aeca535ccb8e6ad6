import type { JsonObject } from '../../json.js'
import { encodeToolResult, encodeToolResultWithPlace } from '../../revisions/encode/encode-tool-result.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import type { ToolResult } from '../../tools/result.js'
import type { RequestContext } from '../request-context.js'
import type { ServedTool } from './served-tool.js'

/** The result of a call, for the client that made it. */
export function encodeCallResult(x: RequestContext, { wrapped }: ServedTool, result: ToolResult): JsonObject {
  const asks = metaOf(x.params)?.[metaKeys.structured] === true
  return asks ? encodeToolResultWithPlace(result, x.revision, wrapped) : encodeToolResult(result, x.revision, wrapped)
}
