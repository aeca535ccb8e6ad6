// Calls that are, or may become, tasks: decides which, and answers them.
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeToolResult } from '../../revisions/encode/encode-tool-result.js'
import type { LongRunning } from '../../tools/tool.js'
import { failedCallResult, runTool } from '../calls/run-tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import { runWithElicitation } from '../questions/run-with-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { callOrPromote } from './promote-to-task.js'
import { supportsTasks, tasksRequired } from './task-view.js'
import { startTask } from './tasks.js'

/** `task`: answered with a task at once. `promotable`: becomes a task if its handler asks for that. */
type TaskKind = 'task' | 'promotable'
type TaskCall = { readonly tool: ServedTool; readonly args: JsonObject; readonly kind: TaskKind }

export async function callAsTask(x: RequestContext, { tool, args, kind }: TaskCall): Promise<JsonObject> {
  try {
    return await (kind === 'task' ? answerWithTask(x, tool, args) : callOrPromote(x, tool, args))
  } catch (thrown) {
    return failedCallResult(x, tool, thrown)
  }
}

/** Undefined for an ordinary call. Throws if a task is required or requested, but not possible. */
export function taskKindOf(x: RequestContext, tool: ServedTool, isAllowed: boolean): TaskKind | undefined {
  if (isAllowed && isTask(x, tool)) return 'task'
  const { longRunning, relayed } = tool.definition
  // Only a tool of another server can learn during the call that it takes long.
  const isPromotable =
    longRunning !== undefined && relayed !== undefined && x.revision.tasks === 'extension' && supportsTasks(x.peerInfo)
  return isPromotable ? 'promotable' : undefined
}

/** In revisions with questions as results, the declared ones are answered before the task is created. */
async function answerWithTask(x: RequestContext, tool: ServedTool, args: JsonObject): Promise<JsonObject> {
  if (!tool.definition.asks || x.revision.asking === 'requests') return startTask(x, { tool, args, earlier: undefined })
  const elicited = await runWithElicitation(x, async (context) => {
    context.onlyAsks = true
    const result = await runTool(tool, args, context)
    return { result, earlier: { answers: context.answers, effects: context.effects } }
  })
  if ('asked' in elicited) return elicited.asked
  const { result, earlier } = elicited.value
  return result.isError ? encodeToolResult(result, x.revision) : startTask(x, { tool, args, earlier })
}

function isTask(x: RequestContext, tool: ServedTool): boolean {
  const { longRunning, relayed } = tool.definition
  // Nothing about tasks may reveal a tool that the caller does not see. As an ordinary call, it is refused like an unknown one.
  if (!x.app.catalog.shows(tool, x.caller)) return false
  switch (x.revision.tasks) {
    case 'none':
      return false
    case 'on-request':
      return x.app.catalog.offersTasks && isCalledAsTask(x.params.task !== undefined, longRunning)
    case 'extension':
      return longRunning !== undefined && relayed === undefined && isTaskDeclared(x, longRunning)
  }
}

function isCalledAsTask(asked: boolean, longRunning: LongRunning | undefined): boolean {
  if (asked && longRunning === undefined) throw new RpcError(codes.methodNotFound, 'This tool cannot be called as a task')
  if (!asked && longRunning === 'required') throw new RpcError(codes.methodNotFound, 'This tool can be called only as a task')
  return asked
}

function isTaskDeclared({ peerInfo }: RequestContext, longRunning: LongRunning): boolean {
  const extended = supportsTasks(peerInfo)
  if (!extended && longRunning === 'required') throw tasksRequired(peerInfo.revision)
  return extended
}
