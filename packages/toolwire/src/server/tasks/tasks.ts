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
import { TaskElicitor } from './task-elicitor.js'
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

  admit(owner: string): void {
    if (!this.hasRoom(owner))
      throw new Refusal('busy', 'Too many tasks are running; wait for one to finish', { retryAfterMs: 5_000 })
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
  tasks.admit(x.caller.id)
  const task = new RunningTask(newTaskRecord(x, work.tool), {
    store: tasks.store,
    changed: tasks.changed,
    effects: work.earlier?.effects,
  })
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
  const { caller, meta, peerInfo, conversation, revision, app } = x
  const { incoming } = task
  const byRequest = revision.asking === 'requests'
  // Ids of requests count within one conversation: whoever waits in another one cannot be asked.
  const reply = () => {
    const waiting = app.tasks.awaited.get(task.record.taskId)
    return waiting?.conversation === conversation ? waiting.reply : undefined
  }
  const elicitor = byRequest ? new TaskElicitor(task, conversation, { reply, timeoutMs: app.settings.questionTimeoutMs }) : task
  // Progress and logs of a task have no stream of their own where changes are subscribed to.
  const send = byRequest ? (message: string) => void (reply()?.send ?? conversation.push)(message) : () => undefined
  return new HandlerContext({
    caller,
    peer: conversation,
    meta,
    peerInfo,
    incoming,
    elicitor: () => elicitor,
    resumed: undefined,
    patient: true,
    send,
    about: taskFormOf(revision).related(task.record.taskId),
    logLevel: () => x.logLevel,
    promoteToTask: () => undefined,
    ...(earlier && { answers: earlier.answers, continued: true }),
  })
}
