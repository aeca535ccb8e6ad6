// A call like any other until its handler says that it takes long: from then on it is a task, and its caller is told so at once.
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { ToolResult } from '../../tools/result.js'
import type { Effects } from '../calls/effects.js'
import { encodeCallResult } from '../calls/result-for.js'
import { runTool } from '../calls/run-tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import { runWithElicitation } from '../questions/run-with-elicitation.js'
import { reportFault } from '../report-fault.js'
import type { RequestContext } from '../request-context.js'
import { RunningTask } from './running-task.js'
import { completeTask, newTaskRecord } from './task-lifecycle.js'
import { supportsTasks } from './task-support.js'
import { taskCreated } from './tasks.js'

/** Whether such a call may become a task on its way, which only another server's tool can know. */
export const mayBecomeTask = (
  { revision, terms }: RequestContext,
  { definition: { relayed: foreign, longRunning } }: ServedTool,
): boolean => longRunning !== undefined && foreign !== undefined && revision.tasks === 'extension' && supportsTasks(terms)

/** The task that a call may become. */
export class PromotableCall {
  /** Who asks, and is told to stop, from the moment on in which the call has become one. */
  task: RunningTask | undefined
  /** Resolves when it can be read. */
  readonly begun: Promise<RunningTask>
  /** The same, or nothing if it cannot be kept; undefined while the call is none. */
  made: Promise<RunningTask | undefined> | undefined
  readonly #x: RequestContext
  readonly #tool: ServedTool
  #tell!: (task: RunningTask) => void

  constructor(x: RequestContext, tool: ServedTool) {
    this.#x = x
    this.#tool = tool
    this.begun = new Promise((resolve) => {
      this.#tell = resolve
    })
  }

  /** Where there is no room for another task, or no way to keep it, it stays a call. */
  begin(effects: Effects): void {
    const { app, caller, flight } = this.#x
    const { tasks } = app
    if (this.made || !tasks.hasRoom(caller.id)) return
    const { store, changed } = tasks
    this.task = new RunningTask(newTaskRecord(this.#x, this.#tool), { store, changed, effects, flight })
    this.made = this.#keep(this.task)
  }

  async #keep(task: RunningTask): Promise<RunningTask | undefined> {
    try {
      await this.#x.app.tasks.keep(task)
    } catch (thrown) {
      reportFault(`a task of ${this.#tool.name}`, thrown)
      this.task = undefined
      return undefined
    }
    this.#tell(task)
    return task
  }
}

export async function callOrPromote(x: RequestContext, tool: ServedTool, args: JsonObject): Promise<JsonObject> {
  const late = new PromotableCall(x, tool)
  const conducted = runWithElicitation(x, (context) => runTool(tool, args, context), late)
  const over = conducted.then(nothing, nothing)
  const task = (await Promise.race([late.begun, over])) ?? (await late.made)
  if (task) {
    const { taskId } = task.record
    completeTask(x, task, { tool, result: resultOf(conducted) }).catch((thrown) => reportFault(`task ${taskId}`, thrown))
    return taskCreated(x, task)
  }
  const ended = await conducted
  return 'asked' in ended ? ended.asked : encodeCallResult(x, tool, ended.value)
}

const nothing = () => undefined

async function resultOf(conducted: ReturnType<typeof runWithElicitation<ToolResult>>): Promise<ToolResult> {
  const ended = await conducted
  if ('value' in ended) return ended.value
  throw new RpcError(codes.internalError, 'The call had a question that was not answered when it became a task')
}
