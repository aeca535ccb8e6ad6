// Calls that outlive their request: made by tools/call, and run here until they are over.
import { isObject, type JsonObject } from '../json.js'
import { codes, type ErrorObject, RpcError } from '../jsonrpc/error.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import { RawQuestions } from '../tools/suspension.js'
import { RunningContext } from './context.js'
import type { Exchange } from './exchange.js'
import type { Effects } from './once.js'
import { report } from './report.js'
import { runTool, told } from './run-tool.js'
import { RunningTask } from './running-task.js'
import type { ServedTool } from './served-tool.js'
import { TaskRequests } from './task-requests.js'
import type { TaskRecord, TaskStore } from './task-store.js'
import { formOf } from './task-view.js'

const mostRunning = 1_000
const mostRunningEach = 100
const usualTtlMs = 3_600_000
const longestTtlMs = 86_400_000

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

  admit(owner: string): void {
    const own = [...this.running.values()].filter((task) => task.record.owner === owner).length
    if (this.running.size >= mostRunning || own >= mostRunningEach)
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
  const form = formOf(x.revision)
  return form.created(form.task({ ...task.record, status: 'working' }))
}

function newRecord(x: Exchange, tool: ServedTool): TaskRecord {
  const now = new Date().toISOString()
  const hint = isObject(x.params.task) ? x.params.task.ttl : undefined
  const ttlMs = typeof hint === 'number' && hint > 0 ? Math.min(Math.ceil(hint), longestTtlMs) : usualTtlMs
  return {
    taskId: crypto.randomUUID(),
    owner: x.caller.id,
    tool: tool.name,
    wrapped: tool.wrapped,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs,
    status: 'working',
    questions: {},
  }
}

async function run(x: Exchange, task: RunningTask, { tool, args, earlier }: Work): Promise<void> {
  const { taskId, ttlMs } = task.record
  const expiry = setTimeout(() => task.flight.cancel(new Refusal('timed-out', 'The task took longer than its ttl')), ttlMs)
  const context = contextOf(x, task, earlier)
  try {
    const result = await runTool(tool, args, context).catch((thrown) => told(thrown, x.revision))
    const failed = result.isError && formOf(x.revision).failsOnToolError
    await task.become(failed ? 'failed' : 'completed', {
      outcome: { result },
      ...(failed && { statusMessage: firstText(result) }),
    })
  } catch (thrown) {
    const error = errorOf(thrown, tool)
    await task.become('failed', { outcome: { error }, statusMessage: error.message })
  } finally {
    clearTimeout(expiry)
    context.end()
    x.app.tasks.running.delete(taskId)
  }
}

function errorOf(thrown: unknown, { name }: ServedTool): ErrorObject {
  if (thrown instanceof RawQuestions)
    return { code: codes.internalError, message: 'A task asks with ctx.ask, not with inputRequired' }
  if (!(thrown instanceof RpcError)) report(`a task of ${name}`, thrown)
  return RpcError.toWire(thrown)
}

const firstText = ({ content: [first] }: ToolResult): string => (first?.type === 'text' ? first.text : 'The tool failed')

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
    ...(earlier && { answers: earlier.answers, continued: true }),
  })
}
