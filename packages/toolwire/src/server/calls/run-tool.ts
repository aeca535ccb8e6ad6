import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { Revision } from '../../revisions/revision.js'
import { Refusal } from '../../tools/refusal.js'
import { errorResult, ToolError, type ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'
import type { HandlerContext } from './handler-context.js'
import { handlerError } from './handler-error.js'
import type { ServedTool } from './served-tool.js'

/** Runs a tool behind its policies. */
export function runTool(tool: ServedTool, args: JsonObject, context: HandlerContext): Promise<ToolResult> {
  const { server } = tool.definition
  const about = { tool, arguments: args, input: undefined, caller: context.caller, context }
  const call: ToolCall = server === undefined ? about : { ...about, server }
  try {
    return tool.run(call)
  } catch (thrown) {
    return Promise.reject(thrown) // a policy of somebody's own need not be async
  }
}

/** A failure or a refusal becomes what its edition makes of it: a result for the model to read, or an error. */
export function outcomeOf(thrown: unknown, revision: Revision): ToolResult {
  if (thrown instanceof ToolError) return errorResult(thrown.message)
  if (!(thrown instanceof Refusal)) throw handlerError(thrown)
  // Scopes are for the client to get: nothing that the model could do would help.
  if (revision.toldToModel.has(thrown.reason) && !thrown.scopes) return errorResult(thrown.message)
  throw new RpcError(codes.invalidParams, thrown.message, { cause: thrown })
}
