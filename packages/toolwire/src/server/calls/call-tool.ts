// tools/call: from the request's parameters to the result of a tool, through every policy that concerns it.
import { isObject, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { holdsToolScopes, unknownTool } from '../../policy/access/index.js'
import { encodeToolResult } from '../../revisions/encode/encode-tool-result.js'
import { checkParamHeaders } from '../../revisions/param-headers/check-headers.js'
import type { LongRunning } from '../../tools/tool.js'
import { runWithElicitation } from '../questions/run-with-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { callOrPromote, mayBecomeTask } from '../tasks/promote-to-task.js'
import { supportsTasks, tasksRequired } from '../tasks/task-support.js'
import { startTask } from '../tasks/tasks.js'
import { encodeCallResult } from './result-for.js'
import { outcomeOf, runTool } from './run-tool.js'
import type { ServedTool } from './served-tool.js'
import { warnOfUnservedLinks } from './unserved-links.js'

export async function callTool(x: RequestContext): Promise<JsonObject> {
  const { name, args } = readCall(x.params)
  const tool = x.app.catalog.tools.get(name)
  if (!tool) return refusedResult(x, unknownTool(name))
  // A tool that is hidden must not show in the checks that come before the policy that hides it.
  const allowed = holdsToolScopes(tool, x.caller)
  if (allowed && x.line.header && x.revision.http.mirrored) checkParamHeaders(tool.mirrored, args, x.line.header)
  const task = allowed && isTask(x, tool)
  try {
    if (task) return await callAsTask(x, tool, args)
    if (mayBecomeTask(x, tool)) return await callOrPromote(x, tool, args)
    const conducted = await runWithElicitation(x, (context) => runTool(tool, args, context))
    if ('asked' in conducted) return conducted.asked
    warnOfUnservedLinks(x.app, tool, conducted.value)
    return encodeCallResult(x, tool, conducted.value)
  } catch (thrown) {
    return refusedResult(x, thrown)
  }
}

const refusedResult = (x: RequestContext, thrown: unknown): JsonObject =>
  encodeToolResult(outcomeOf(thrown, x.revision), x.revision)

function readCall({ name, arguments: args = {} }: JsonObject): { name: string; args: JsonObject } {
  if (typeof name !== 'string') throw new RpcError(codes.invalidParams, 'params.name must be a string, the name of a tool')
  if (!isObject(args)) throw new RpcError(codes.invalidParams, 'params.arguments must be an object')
  return { name, args }
}

/** Where questions are results, the declared ones are answered before the task is made. */
async function callAsTask(x: RequestContext, tool: ServedTool, args: JsonObject): Promise<JsonObject> {
  if (!tool.definition.asks || x.revision.asking === 'requests') return startTask(x, { tool, args, earlier: undefined })
  const conducted = await runWithElicitation(x, async (context) => {
    context.onlyAsks = true
    const result = await runTool(tool, args, context)
    return { result, earlier: { answers: context.answers, effects: context.effects } }
  })
  if ('asked' in conducted) return conducted.asked
  const { result, earlier } = conducted.value
  return result.isError ? encodeToolResult(result, x.revision) : startTask(x, { tool, args, earlier })
}

/** Whether the call is to be answered with a task; refuses where one is demanded, or asked for, and cannot be had. */
function isTask(x: RequestContext, tool: ServedTool): boolean {
  const { longRunning, relayed: foreign } = tool.definition
  // A caller that may not see the tool gets the same error as for a missing tool.
  if (longRunning !== undefined && !x.app.catalog.shows(tool, x.caller)) return false
  switch (x.revision.tasks) {
    case 'none':
      return false
    case 'on-request':
      return x.app.catalog.offersTasks && askedFor(x.params.task !== undefined, longRunning)
    case 'extension':
      return longRunning !== undefined && foreign === undefined && isTaskDeclared(x, longRunning)
  }
}

function askedFor(asked: boolean, longRunning: LongRunning | undefined): boolean {
  if (asked && longRunning === undefined) throw new RpcError(codes.methodNotFound, 'This tool cannot be called as a task')
  if (!asked && longRunning === 'required') throw new RpcError(codes.methodNotFound, 'This tool can be called only as a task')
  return asked
}

function isTaskDeclared({ terms }: RequestContext, longRunning: LongRunning): boolean {
  const extended = supportsTasks(terms)
  if (!extended && longRunning === 'required') throw tasksRequired(terms.revision)
  return extended
}
