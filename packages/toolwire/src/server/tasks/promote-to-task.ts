// An ordinary call that becomes a task when its handler says that it takes long; its caller is told at once.
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
import { completeTask, holdForTask, newTask, taskCreated } from './tasks.js'

export class PromotableCall {
  /** Set while the call is a task, which then asks its questions. */
  task: RunningTask | undefined
  #tell!: (task: RunningTask) => void
  /** Resolves when the task can be read. */
  readonly begun = new Promise<RunningTask>((resolve) => {
    this.#tell = resolve
  })
  /** The stored task, or undefined if it could not be stored; not set while the call is no task. */
  made: Promise<RunningTask | undefined> | undefined
  /** Frees the memory of the call. */
  release: (() => void) | undefined
  readonly #x: RequestContext
  readonly #tool: ServedTool

  constructor(x: RequestContext, tool: ServedTool) {
    this.#x = x
    this.#tool = tool
  }

  /** Makes the call a task; it stays a call if there is no room for another task, or the task cannot be stored. */
  begin(effects: Effects): void {
    const { app, caller, incoming } = this.#x
    if (this.made || !app.tasks.hasRoom(caller.id)) return
    this.release = holdForTask(this.#x)
    if (!this.release) return
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
  void over.then(() => call.release?.())
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
