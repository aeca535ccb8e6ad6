// Calls that outlive their request: made by tools/call, polled, answered and cancelled by the tasks methods.
import type { JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { encodeResult } from '../revisions/encode-result.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import { responsesIn } from './answers.js'
import { RunningContext } from './context.js'
import type { Exchange } from './exchange.js'
import { RawQuestions } from './invoke.js'
import { runTool, told } from './run-tool.js'
import { aborted, RunningTask } from './running-task.js'
import type { ServedTool } from './served-tool.js'
import { TaskRequests } from './task-requests.js'
import { needsTasks, offersTasksTo } from './task-rules.js'
import { isOver, type TaskRecord, type TaskStore } from './task-store.js'
import { detailed, formOf } from './task-view.js'
import { isObject } from './terms.js'

const mostRunning = 1_000
const mostRunningEach = 100
const usualTtlMs = 3_600_000
const longestTtlMs = 86_400_000
const tasksOnPage = 100
const lookEveryMs = 500

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

  admit(owner: string): void {
    const own = [...this.running.values()].filter((task) => task.record.owner === owner).length
    if (this.running.size >= mostRunning || own >= mostRunningEach)
      throw new Refusal('busy', 'Too many tasks are running; wait for one to finish', { retryAfterMs: 5_000 })
  }
}

export async function startTask(
  x: Exchange,
  tool: ServedTool,
  args: JsonObject,
  answers?: Record<string, unknown>,
): Promise<JsonObject> {
  const { tasks } = x.app
  tasks.admit(x.caller.id)
  const task = new RunningTask(newRecord(x, tool), tasks.store, tasks.changed)
  await tasks.store.put(task.record)
  tasks.running.set(task.record.taskId, task)
  void run(x, task, { tool, args, answers })
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

type Work = { tool: ServedTool; args: JsonObject; answers: Record<string, unknown> | undefined }

async function run(x: Exchange, task: RunningTask, { tool, args, answers }: Work): Promise<void> {
  const { taskId, ttlMs } = task.record
  const expiry = setTimeout(() => task.flight.cancel(new Refusal('timed-out', 'The task took longer than its ttl')), ttlMs)
  const context = contextOf(x, task, answers)
  try {
    const result = await runTool(tool, tool.name, args, context).catch((thrown) => told(thrown, x.revision))
    const failed = result.isError && formOf(x.revision).failsOnToolError
    await task.become(failed ? 'failed' : 'completed', {
      outcome: { result },
      ...(failed && { statusMessage: firstText(result) }),
    })
  } catch (thrown) {
    const error = RpcError.toWire(
      thrown instanceof RawQuestions
        ? new RpcError(codes.internalError, 'A task asks with ctx.ask, not with inputRequired')
        : thrown,
    )
    await task.become('failed', { outcome: { error }, statusMessage: error.message })
  } finally {
    clearTimeout(expiry)
    context.end()
    x.app.tasks.running.delete(taskId)
  }
}

const firstText = ({ content: [first] }: ToolResult): string => (first?.type === 'text' ? first.text : 'The tool failed')

function contextOf(x: Exchange, task: RunningTask, answers: Record<string, unknown> | undefined): RunningContext {
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
    meta,
    terms,
    flight,
    asker: () => asker,
    resumed: undefined,
    patient: true,
    send,
    about: formOf(revision).related(task.record.taskId),
    logLevel: () => x.logLevel,
    ...(answers && { answers }),
  })
}

export async function getTask(x: Exchange): Promise<JsonObject> {
  demandExtension(x)
  const record = await recordFor(x)
  return detailed(record, x.revision)
}

export async function updateTask(x: Exchange): Promise<JsonObject> {
  demandExtension(x)
  const record = await recordFor(x)
  await x.app.tasks.running.get(record.taskId)?.answer(responsesIn(x.params))
  return {}
}

export async function cancelTask(x: Exchange): Promise<JsonObject> {
  demandExtension(x)
  const record = await recordFor(x)
  const already = isOver(record.status)
  if (already && x.revision.tasks === 'on-request')
    throw new RpcError(codes.invalidParams, `The task is ${record.status} already`)
  if (!already) await cancel(x, record)
  return x.revision.tasks === 'on-request' ? formOf(x.revision).task(record) : {}
}

async function cancel(x: Exchange, record: TaskRecord): Promise<void> {
  const running = x.app.tasks.running.get(record.taskId)
  const refusal = new Refusal('timed-out', 'The task was cancelled')
  await (running ?? new RunningTask(record, x.app.tasks.store, x.app.tasks.changed)).become('cancelled', {
    statusMessage: 'Cancelled on request',
    outcome: { error: { code: codes.internalError, message: 'The task was cancelled' } },
  })
  running?.flight.cancel(refusal)
}

/** Blocks until the task is over and gives what the call would have given. */
export async function taskResult(x: Exchange): Promise<JsonObject> {
  const record = await finished(x, await recordFor(x))
  const { outcome } = record
  if (!outcome) throw new RpcError(codes.internalError, 'The task ended without a result')
  if ('error' in outcome) throw new RpcError(outcome.error.code, outcome.error.message, { data: outcome.error.data })
  const result = encodeResult(outcome.result, x.revision, record.wrapped)
  return { ...result, _meta: { ...(result._meta as JsonObject | undefined), ...formOf(x.revision).related(record.taskId) } }
}

async function finished(x: Exchange, record: TaskRecord): Promise<TaskRecord> {
  if (isOver(record.status)) return record
  const running = x.app.tasks.running.get(record.taskId)
  if (running) {
    await waitFor(x, running)
    return running.record
  }
  // It runs on another replica, so the store is all there is to look at.
  await Promise.race([new Promise((resolve) => setTimeout(resolve, lookEveryMs)), aborted(x.flight.signal)])
  return finished(x, await recordFor(x))
}

async function waitFor(x: Exchange, task: RunningTask): Promise<void> {
  const { awaited } = x.app.tasks
  const { taskId } = task.record
  awaited.set(taskId, x)
  task.lineOpened?.()
  try {
    await Promise.race([task.over, aborted(x.flight.signal)])
  } finally {
    if (awaited.get(taskId) === x) awaited.delete(taskId)
  }
}

/** Without knowing who asks, a list would show the tasks of strangers. */
export async function listTasks(x: Exchange): Promise<JsonObject> {
  if (x.caller.anonymous) throw new RpcError(codes.methodNotFound, 'tasks/list needs callers that are known')
  const { sealer, tasks } = x.app
  const records = await tasks.store.list(x.caller.id)
  const start = x.params.cursor === undefined ? 0 : await placeOf(x, records)
  const shown = records.slice(start, start + tasksOnPage)
  const last = shown.at(-1)
  const nextCursor = last && start + shown.length < records.length ? await sealer.seal('cursor:tasks', last.taskId) : undefined
  return { tasks: shown.map((record) => formOf(x.revision).task(record)), ...(nextCursor !== undefined && { nextCursor }) }
}

async function placeOf({ app, params }: Exchange, records: readonly TaskRecord[]): Promise<number> {
  const last = typeof params.cursor === 'string' ? await app.sealer.open('cursor:tasks', params.cursor) : undefined
  if (last === undefined)
    throw new RpcError(codes.invalidParams, 'params.cursor is not one that this list gave; start again without it')
  return records.findIndex((record) => record.taskId === last) + 1
}

async function recordFor(x: Exchange): Promise<TaskRecord> {
  const { taskId } = x.params
  const { running, store } = x.app.tasks
  const record = typeof taskId === 'string' ? (running.get(taskId)?.record ?? (await store.get(taskId))) : undefined
  if (!record || record.owner !== x.caller.id) throw new RpcError(codes.invalidParams, 'params.taskId names no task of yours')
  return record
}

function demandExtension(x: Exchange): void {
  if (x.revision.tasks === 'extension' && !offersTasksTo(x.terms)) throw needsTasks(x.revision)
}
