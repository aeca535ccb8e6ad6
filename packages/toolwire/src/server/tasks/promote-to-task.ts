// A call like any other until its handler says that it takes long: from then on it is a task, and its caller is told so at once.
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { ToolResult } from '../../tools/result.js'
import type { Effects } from '../calls/effects.js'
import { encodeCallResult, runTool } from '../calls/run-tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import { runWithElicitation } from '../questions/run-with-elicitation.js'
import { reportFault } from '../report-fault.js'
import type { RequestContext } from '../request-context.js'
import type { RunningTask } from './running-task.js'
import { completeTask, newTask, taskCreated } from './tasks.js'

/** The task that a call may become. */
export class PromotableCall {
  /** Who asks, and is told to stop, from the moment on in which the call has become one. */
  task: RunningTask | undefined
  #tell!: (task: RunningTask) => void
  /** Resolves when it can be read. */
  readonly begun = new Promise<RunningTask>((resolve) => {
    this.#tell = resolve
  })
  /** The same, or nothing if it cannot be kept; undefined while the call is none. */
  made: Promise<RunningTask | undefined> | undefined
  readonly #x: RequestContext
  readonly #tool: ServedTool

  constructor(x: RequestContext, tool: ServedTool) {
    this.#x = x
    this.#tool = tool
  }

  /** Where there is no room for another task, or no way to keep it, it stays a call. */
  begin(effects: Effects): void {
    const { app, caller, incoming } = this.#x
    if (this.made || !app.tasks.hasRoom(caller.id)) return
    this.task = newTask(this.#x, this.#tool, { effects, incoming })
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
  const call = new PromotableCall(x, tool)
  const elicited = runWithElicitation(x, (context) => runTool(tool, args, context), call)
  const over = elicited.then(nothing, nothing)
  const task = (await Promise.race([call.begun, over])) ?? (await call.made)
  if (task) {
    void completeTask(x, task, { tool, result: resultOf(elicited) })
    return taskCreated(x, task)
  }
  const ended = await elicited
  return 'asked' in ended ? ended.asked : encodeCallResult(x, tool, ended.value)
}

const nothing = () => undefined

async function resultOf(elicited: ReturnType<typeof runWithElicitation<ToolResult>>): Promise<ToolResult> {
  const ended = await elicited
  if ('value' in ended) return ended.value
  throw new RpcError(codes.internalError, 'The call had a question that was not answered when it became a task')
}
