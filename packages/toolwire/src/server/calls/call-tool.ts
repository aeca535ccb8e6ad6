// tools/call: from the request's parameters to the result of a tool, through every policy that concerns it.
import { isObject, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { holdsToolScopes, unknownTool } from '../../policy/access/index.js'
import { checkParamHeaders } from '../../revisions/param-headers/check-headers.js'
import type { ToolResult } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'
import { carriesAnswers, type ElicitedResult, elicitingRun, runWithElicitation } from '../questions/run-with-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { callAsTask, taskKindOf } from '../tasks/call-as-task.js'
import type { HandlerContext } from './handler-context.js'
import { encodeCallResult, failedCallResult, refusedResult, runTool, toolCall, warnOfUnservedLinks } from './run-tool.js'
import type { ServedTool } from './served-tool.js'

export async function callTool(x: RequestContext): Promise<JsonObject> {
  const { params, revision, reply } = x
  const { name, args } = readCall(params)
  const tool = x.app.catalog.tools.get(name)
  if (!tool) return refusedResult(x, unknownTool(name))
  // Checks that run before the policies must not reveal a hidden tool.
  const isAllowed = holdsToolScopes(tool, x.caller)
  try {
    if (isAllowed && reply.header && revision.http.mirrored) checkParamHeaders(tool.mirrored, args, reply.header)
  } catch (thrown) {
    if (x.app.catalog.shows(tool, x.caller)) throw thrown
    return refusedResult(x, unknownTool(name))
  }
  if (tool.definition.longRunning !== undefined || params.task !== undefined) {
    const kind = taskKindOf(x, tool, isAllowed)
    if (kind) return callAsTask(x, { tool, args, kind })
  }
  const again = (context: HandlerContext) => runTool(tool, args, context)
  if (carriesAnswers(x)) return resultOf(x, tool, runWithElicitation(x, again))

  const run = elicitingRun(x)
  try {
    const result = await tool.run(toolCall(tool, args, run.context))
    const asked = run.asked()
    if (asked) return await asked
    warnOfUnservedLinks(x.app, tool, result)
    return encodeCallResult(x, tool, result)
  } catch (thrown) {
    return thrown instanceof Suspension
      ? await resultOf(x, tool, run.suspended(thrown, again))
      : failedCallResult(x, tool, thrown)
  } finally {
    run.end()
  }
}

function readCall({ name, arguments: args = {} }: JsonObject): { name: string; args: JsonObject } {
  if (typeof name !== 'string') throw new RpcError(codes.invalidParams, 'params.name must be a string, the name of a tool')
  if (!isObject(args)) throw new RpcError(codes.invalidParams, 'params.arguments must be an object')
  return { name, args }
}

type Eliciting = Promise<ElicitedResult<ToolResult>>

async function resultOf(x: RequestContext, tool: ServedTool, eliciting: Eliciting): Promise<JsonObject> {
  try {
    const elicited = await eliciting
    if ('asked' in elicited) return elicited.asked
    warnOfUnservedLinks(x.app, tool, elicited.value)
    return encodeCallResult(x, tool, elicited.value)
  } catch (thrown) {
    return failedCallResult(x, tool, thrown)
  }
}
