// The steps of a call around its policies: the call that they receive, and the encoding of its result or failure.
import { isObject, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { unknownTool } from '../../policy/access/index.js'
import { encodeToolResult, encodeToolResultWithPlace } from '../../revisions/encode/encode-tool-result.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import type { Revision } from '../../revisions/revision.js'
import { withFixed } from '../../tools/fixed-arguments.js'
import { Refusal } from '../../tools/refusal.js'
import { errorResult, ToolError, type ToolResult } from '../../tools/result.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import type { App } from '../app.js'
import { isServedUri } from '../reads/resources.js'
import { recommend } from '../report-fault.js'
import type { RequestContext } from '../request-context.js'
import type { HandlerContext } from './handler-context.js'
import { handlerError } from './handler-error.js'
import type { ServedTool } from './served-tool.js'

export async function runTool(tool: ServedTool, args: JsonObject, context: HandlerContext): Promise<ToolResult> {
  return tool.run(toolCall(tool, args, context))
}

export function toolCall(tool: ServedTool, args: JsonObject, context: HandlerContext): ToolCall {
  const { server } = tool.definition
  const call = { tool, arguments: withFixed(tool, args), input: undefined, caller: context.caller, context }
  return server === undefined ? call : { ...call, server }
}

export function encodeCallResult(x: RequestContext, { wrapped }: ServedTool, result: ToolResult): JsonObject {
  const asks = x.meta[metaKeys.structured] === true
  return asks ? encodeToolResultWithPlace(result, x.revision, wrapped) : encodeToolResult(result, x.revision, wrapped)
}

/** The answer to a call that has failed. If the tool is hidden from the caller, it is the answer to a call of an absent tool. */
export function failedCallResult(x: RequestContext, tool: ServedTool, thrown: unknown): JsonObject {
  const wasCalled = thrown instanceof Refusal && thrown.wasCalled
  return refusedResult(x, !wasCalled && x.app.catalog.hides(tool, x.caller) ? unknownTool(tool.name) : thrown)
}

export function refusedResult(x: RequestContext, thrown: unknown): JsonObject {
  x.app.refusedCalls.note(x, thrown)
  const isUnknown = thrown instanceof Refusal && thrown.reason === 'unknown-tool'
  const incomplete = isUnknown ? x.app.catalog.serves.incomplete : undefined
  const outcome = isUnknown && incomplete ? errorResult(`${thrown.message}. ${incomplete}`) : outcomeOf(thrown, x.revision)
  return encodeToolResult(outcome, x.revision)
}

/** Turns a failure or a refusal into a result for the model, or throws it as an error, as the revision decides. */
export function outcomeOf(thrown: unknown, revision: Revision): ToolResult {
  if (thrown instanceof ToolError) return errorResult(thrown.message)
  if (!(thrown instanceof Refusal)) throw handlerError(thrown)
  // Only the client can get more scopes; the model could not help.
  if (revision.toldToModel.has(thrown.reason) && !thrown.scopes) return errorResult(thrown.message)
  throw new RpcError(codes.invalidParams, thrown.message, { cause: thrown })
}

/** URIs that anyone can fetch without this server. */
const ofTheWeb = /^https?:/i

/** Warns once per server when a result refers to a resource that is not served. Results cannot be checked in advance. */
export function warnOfUnservedLinks(app: App, { name, definition }: ReadyTool, { content }: ToolResult): void {
  if (app.advisedOnResources || definition.relayed) return
  for (const block of content) {
    if (block.type !== 'resource' && block.type !== 'resource_link') continue
    const uri = block.type === 'resource' ? isObject(block.resource as unknown) && block.resource.uri : block.uri
    if (typeof uri !== 'string' || ofTheWeb.test(uri) || isServedUri(app, uri)) continue
    app.advisedOnResources = true
    const how = block.type === 'resource' ? 'embeds' : 'links to'
    const what = `it ${how} a resource (${uri.slice(0, uri.indexOf(':') + 1)}…) that this server does not serve`
    recommend(`tool "${name}"`, `${what}, so no client can read it again; add it to \`resources\`, or a template that fits`)
    return
  }
}
