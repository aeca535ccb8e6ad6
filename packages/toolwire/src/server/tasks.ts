// Calls that outlive their request: made by tools/call, and run here until they are over.
import type { JsonObject } from '../json.js'
import { Refusal } from '../tools/refusal.js'
import { RunningContext } from './context.js'
import type { Exchange } from './exchange.js'
import type { Effects } from './once.js'
import { report } from './report.js'
import { runTool } from './run-tool.js'
import { RunningTask } from './running-task.js'
import type { ServedTool } from './served-tool.js'
import { newRecord, seeThrough } from './task-life.js'
import { TaskRequests } from './task-requests.js'
import type { TaskRecord, TaskStore } from './task-store.js'
import { formOf } from './task-view.js'
import { adviseOnUnserved } from './unserved.js'

const mostRunning = 1_000
const mostRunningEach = 100

/** The tasks of one server. */
export class Tasks {
  readonly store: TaskStore
  readonly running = new Map<string, RunningTask>()
  /** Clients that wait for a result, by task; questions of the task travel to them. */
  readonly awaited = new Map<string, Exchange>()
  readonly changed: (record: TaskRecord) => void

  constructor(store: TaskStore, changed: (record: TaskRecord) => void) {
    this.store = store
    this.changed = changed
  }

  /** Whoever makes a task can read it at once, from wherever it is asked. */
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

type Work = {
  readonly tool: ServedTool
  readonly args: JsonObject
  /** What was answered, and done, before the task was made. */
  readonly earlier: { readonly answers: Readonly<Record<string, unknown>>; readonly effects: Effects } | undefined
}

export async function startTask(x: Exchange, work: Work): Promise<JsonObject> {
  const { tasks } = x.app
  tasks.admit(x.caller.id)
  const task = new RunningTask(newRecord(x, work.tool), {
    store: tasks.store,
    changed: tasks.changed,
    effects: work.earlier?.effects,
  })
  await tasks.keep(task)
  run(x, task, work).catch((thrown) => report(`task ${task.record.taskId}`, thrown))
  return created(x, task)
}

/** What the caller is told of it at first. */
export function created(x: Exchange, { record }: RunningTask): JsonObject {
  const form = formOf(x.revision)
  return form.created(form.task({ ...record, status: 'working' }))
}

async function run(x: Exchange, task: RunningTask, { tool, args, earlier }: Work): Promise<void> {
  const context = contextOf(x, task, earlier)
  const result = runTool(tool, args, context).then((settled) => {
    adviseOnUnserved(x.app, tool, settled)
    return settled
  })
  await seeThrough(x, task, { tool, result }).finally(() => context.end())
}

function contextOf(x: Exchange, task: RunningTask, earlier: Work['earlier']): RunningContext {
  const { caller, meta, terms, conversation, revision, app } = x
  const { flight } = task
  const byRequest = revision.asking === 'requests'
  // Ids of requests count within one conversation: whoever waits in another one cannot be asked.
  const line = () => {
    const waiting = app.tasks.awaited.get(task.record.taskId)
    return waiting?.conversation === conversation ? waiting.line : undefined
  }
  const asker = byRequest ? new TaskRequests(task, conversation, { line, timeoutMs: app.settings.questionTimeoutMs }) : task
  // Progress and logs of a task have no stream of their own where changes are subscribed to.
  const send = byRequest ? (message: string) => void (line()?.send ?? conversation.push)(message) : () => undefined
  return new RunningContext({
    caller,
    peer: conversation,
    meta,
    terms,
    flight,
    asker: () => asker,
    resumed: undefined,
    patient: true,
    send,
    about: formOf(revision).related(task.record.taskId),
    logLevel: () => x.logLevel,
    outlast: () => undefined,
    ...(earlier && { answers: earlier.answers, continued: true }),
  })
}
