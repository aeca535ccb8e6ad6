// Calls that outlive their request: made by tools/call, and run here until they are over.
import type { JsonObject } from '../../json.js'
import { Refusal } from '../../tools/refusal.js'
import type { Effects } from '../calls/effects.js'
import { HandlerContext } from '../calls/handler-context.js'
import { runTool, warnOfUnservedLinks } from '../calls/run-tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import { reportFault } from '../report-fault.js'
import type { RequestContext } from '../request-context.js'
import { RunningTask } from './running-task.js'
import { TaskElicitor, taskReply } from './task-elicitor.js'
import { completeTask, newTaskRecord } from './task-lifecycle.js'
import type { TaskRecord, TaskStore } from './task-store.js'
import { taskFormOf } from './task-view.js'

const mostRunning = 1_000
const mostRunningEach = 100

/** The tasks of one server. */
export class ServerTasks {
  readonly store: TaskStore
  readonly running = new Map<string, RunningTask>()
  /** Clients that wait for a result, by task; questions of the task travel to them. */
  readonly awaited = new Map<string, RequestContext>()
  readonly changed: (record: TaskRecord) => void

  constructor(store: TaskStore, changed: (record: TaskRecord) => void) {
    this.store = store
    this.changed = changed
  }

  /** A new task can be read at once, from any connection. */
  async keep(task: RunningTask): Promise<void> {
    const { taskId } = task.record
    this.running.set(taskId, task)
    try {
      await this.store.put(task.record)
    } catch (thrown) {
      this.running.delete(taskId)
      throw thrown
    }
  }

  hasRoom(owner: string): boolean {
    const own = [...this.running.values()].filter((task) => task.record.owner === owner).length
    return this.running.size < mostRunning && own < mostRunningEach
  }
}

type TaskWork = {
  readonly tool: ServedTool
  readonly args: JsonObject
  /** What was answered, and done, before the task was made. */
  readonly earlier: { readonly answers: Readonly<Record<string, unknown>>; readonly effects: Effects } | undefined
}

export async function startTask(x: RequestContext, work: TaskWork): Promise<JsonObject> {
  const { tasks } = x.app
  if (!tasks.hasRoom(x.caller.id))
    throw new Refusal('busy', 'Too many tasks are running; wait for one to finish', { retryAfterMs: 5_000 })
  const task = new RunningTask(tasks, newTaskRecord(x, work.tool), { effects: work.earlier?.effects })
  await tasks.keep(task)
  runTask(x, task, work).catch((thrown) => reportFault(`task ${task.record.taskId}`, thrown))
  return taskCreated(x, task)
}

/** What the caller is told of it at first. */
export function taskCreated(x: RequestContext, { record }: RunningTask): JsonObject {
  const form = taskFormOf(x.revision)
  return form.created(form.task({ ...record, status: 'working' }))
}

async function runTask(x: RequestContext, task: RunningTask, { tool, args, earlier }: TaskWork): Promise<void> {
  const context = contextOf(x, task, earlier)
  const result = runTool(tool, args, context).then((settled) => {
    warnOfUnservedLinks(x.app, tool, settled)
    return settled
  })
  await completeTask(x, task, { tool, result }).finally(() => context.end())
}

function contextOf(x: RequestContext, task: RunningTask, earlier: TaskWork['earlier']): HandlerContext {
  const byRequest = x.revision.asking === 'requests'
  const elicitor = byRequest ? new TaskElicitor(x, task) : task
  return new HandlerContext(x, {
    elicitor: () => elicitor,
    incoming: task.incoming,
    patient: true,
    // Progress and logs of a task have no stream of their own where changes are subscribed to.
    send: (message) => byRequest && (taskReply(x, task)?.send ?? x.conversation.push)(message),
    about: taskFormOf(x.revision).related(task.record.taskId),
    promoteToTask: () => undefined,
    ...(earlier && { answers: earlier.answers, continued: true }),
  })
}
