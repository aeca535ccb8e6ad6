// Calls that outlive their request: created by tools/call, and run in this process until they end.
import { repeatWhile } from '../../bounds/repeat-while.js'
import { isObject, type JsonObject } from '../../json.js'
import { codes, type ErrorObject, RpcError } from '../../jsonrpc/error.js'
import { withReplica } from '../../peer/replica-ids.js'
import { encodeToolResult } from '../../revisions/encode/encode-tool-result.js'
import { Refusal } from '../../tools/refusal.js'
import { errorResult, type ToolResult } from '../../tools/result.js'
import { SuspendedWithQuestions } from '../../tools/suspension.js'
import type { Effects } from '../calls/effects.js'
import { HandlerContext } from '../calls/handler-context.js'
import { outcomeOf, runTool, warnOfUnservedLinks } from '../calls/run-tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import type { Elicitor } from '../questions/elicitor.js'
import { reportFault } from '../report-fault.js'
import type { RequestContext } from '../request-context.js'
import { exceedsBytes, tooLargeAdvice } from '../result-size.js'
import { RunningTask, type TaskParts, taskElicitor, taskReply } from './running-task.js'
import { renewLeaseEveryMs, type TaskLease, type TaskLeases, taskLeaseMs } from './task-leases.js'
import { isOver, lifetimeLeftMs, type TaskRecord, type TaskStore } from './task-store.js'
import { taskFormOf } from './task-view.js'

const mostRunning = 1_000
export const mostRunningEach = 100
const usualTtlMs = 3_600_000
const longestTtlMs = 86_400_000

/** Interval of checks for answers and endings by other replicas. */
const lookEveryMs = 500
/** Milliseconds of retries to write the end of a task while the store is unavailable. */
const writeForMs = 600_000
const writeAgainMs = 1_000

export class ServerTasks {
  readonly store: TaskStore
  readonly running = new Map<string, RunningTask>()
  /** Clients that wait for a result, by task; questions of the task travel to them. */
  readonly awaited = new Map<string, RequestContext>()
  readonly changed: (record: TaskRecord) => void
  #following = false
  /** Apart from the checks, because a slow check or answer must not let the leases expire. */
  readonly #keepLeases = repeatWhile(
    () => this.running.size > 0,
    () => this.#renew(this.#held()),
    {
      everyMs: renewLeaseEveryMs,
      startsLater: true,
      urgentMs: taskLeaseMs - renewLeaseEveryMs,
      onFault: (why) => void reportFault('the renewal of the leases of tasks', why),
    },
  )

  constructor(store: TaskStore, changed: (record: TaskRecord) => void) {
    this.store = store
    this.changed = changed
  }

  /** Stores a new task, which can be read at once from any connection. */
  async keep(task: RunningTask): Promise<void> {
    const { taskId } = task.record
    this.running.set(taskId, task)
    try {
      await task.begin()
    } catch (thrown) {
      this.running.delete(taskId)
      throw thrown
    }
  }

  /** False if another replica has ended the task, or runs it. */
  async save({ record, lease }: RunningTask): Promise<boolean> {
    const { leases } = this.store
    if (!leases) {
      await this.store.put(record)
      return true
    }
    if (!lease) return leases.end(record)
    for (const start = performance.now(); ; ) {
      try {
        return await leases.write(record, lease)
      } catch (thrown) {
        // The outcome must not be lost because the store was unavailable.
        if (!isOver(record.status) || performance.now() - start > writeForMs) throw thrown
        await new Promise((resolve) => setTimeout(resolve, writeAgainMs))
      }
    }
  }

  /** Reads a task from the store. The lease of one that runs here is renewed first, because an expired one would end the task. */
  async read(taskId: string): Promise<TaskRecord | undefined> {
    const lease = this.running.get(taskId)?.lease
    if (lease) await this.#renew([lease])
    return this.store.get(taskId)
  }

  /** The tasks of one caller, oldest first. */
  async list(owner: string): Promise<readonly TaskRecord[]> {
    await this.#renew(this.#held(owner))
    return this.store.list(owner)
  }

  /** Keeps the leases, and polls for answers and endings by other replicas, while tasks run here. */
  async follow(leases: TaskLeases): Promise<void> {
    this.#keepLeases()
    if (this.#following) return
    this.#following = true
    let isAway = false
    while (this.running.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      try {
        await this.#look(leases, isAway)
        isAway = false
      } catch (thrown) {
        if (!isAway) reportFault('the leases of tasks', thrown)
        isAway = true
      }
    }
    this.#following = false
  }

  async #look(leases: TaskLeases, wasAway: boolean): Promise<void> {
    const held = this.#held()
    if (held.length === 0) return
    if (wasAway) await leases.renew(held)
    for (const { taskId, held: isHeld, answers } of await leases.look(held)) {
      const task = this.running.get(taskId)
      if (isHeld) await task?.answer(answers)
      else await task?.lose()
    }
  }

  /** The leases on tasks that run here, of one caller or of all. */
  #held(owner?: string): TaskLease[] {
    return [...this.running.values()].flatMap(({ lease, record }) =>
      lease && (owner === undefined || record.owner === owner) ? lease : [],
    )
  }

  async #renew(held: readonly TaskLease[]): Promise<void> {
    if (held.length > 0) await this.store.leases?.renew(held)
  }

  hasRoom(owner: string): boolean {
    const own = [...this.running.values()].filter((task) => task.record.owner === owner).length
    return this.running.size < mostRunning && own < mostRunningEach
  }
}

type TaskWork = {
  readonly tool: ServedTool
  readonly args: JsonObject
  /** Answers and side effects from before the task was created. */
  readonly earlier: { readonly answers: Readonly<Record<string, unknown>>; readonly effects: Effects } | undefined
}

export async function startTask(x: RequestContext, work: TaskWork): Promise<JsonObject> {
  const { tasks } = x.app
  if (!tasks.hasRoom(x.caller.id))
    throw new Refusal('busy', 'Too many tasks are running; wait for one to finish', { retryAfterMs: 5_000 })
  const release = holdForTask(x)
  if (!release)
    throw new Refusal('busy', 'Too many tasks with long arguments are running; wait for one to finish', { retryAfterMs: 5_000 })
  const { tool, args, earlier } = work
  const task = newTask(x, tool, { effects: earlier?.effects })
  try {
    await tasks.keep(task)
  } catch (thrown) {
    release()
    throw thrown
  }
  const elicitor: Elicitor = x.revision.asking === 'requests' ? taskElicitor(x, task) : task
  const context = contextOf(x, task, { elicitor, earlier })
  const run = async () => {
    try {
      const settled = await runTool(tool, args, context)
      warnOfUnservedLinks(x.app, tool, settled)
      return settled
    } finally {
      context.end()
      elicitor.end?.()
    }
  }
  void completeTask(x, task, { tool, result: run() }).then(release)
  return taskCreated(x, task)
}

/** Keeps the memory of the call reserved until the returned function is called; undefined if there is no room for another long task. */
export const holdForTask = ({ reply, caller }: RequestContext): (() => void) | undefined =>
  reply.hold ? reply.hold({ taskOf: caller.id }) : nothing

const nothing = () => undefined

/** A task that is not stored yet. */
export const newTask = (x: RequestContext, tool: ServedTool, parts: TaskParts): RunningTask =>
  new RunningTask(x.app.tasks, newTaskRecord(x, tool), parts)

export function taskCreated(x: RequestContext, { record }: RunningTask): JsonObject {
  const form = taskFormOf(x.revision)
  return form.created(form.task({ ...record, status: 'working' }))
}

type Asking = { readonly elicitor: Elicitor; readonly earlier: TaskWork['earlier'] }

function contextOf(x: RequestContext, task: RunningTask, { elicitor, earlier }: Asking): HandlerContext {
  const byRequest = x.revision.asking === 'requests'
  return new HandlerContext(x, {
    elicitor: () => elicitor,
    incoming: task.incoming,
    patient: true,
    // In revisions with questions as results, progress and logs of a task have no stream, so they are dropped.
    send: (message) => byRequest && (taskReply(x, task)?.send ?? x.conversation.push)(message),
    about: taskFormOf(x.revision).related(task.record.taskId),
    promoteToTask: () => undefined,
    keptMs: () => lifetimeLeftMs(task.record),
    ...(earlier && { answers: earlier.answers, continued: true }),
  })
}

function newTaskRecord(x: RequestContext, tool: ServedTool): TaskRecord {
  const now = new Date().toISOString()
  const hint = isObject(x.params.task) ? x.params.task.ttl : undefined
  const ttlMs = typeof hint === 'number' && hint > 0 ? Math.min(Math.ceil(hint), longestTtlMs) : usualTtlMs
  return {
    taskId: withReplica(x.app.replica, crypto.randomUUID()),
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

type StartedWork = { readonly tool: ServedTool; readonly result: Promise<ToolResult> }

/** Records the end of a task: the outcome of its work, or a timeout when its ttl has passed. */
export const completeTask = (x: RequestContext, task: RunningTask, work: StartedWork): Promise<unknown> =>
  completed(x, task, work).catch((thrown) => reportFault(`task ${task.record.taskId}`, thrown))

async function completed(x: RequestContext, task: RunningTask, { tool, result }: StartedWork): Promise<void> {
  const { taskId, ttlMs } = task.record
  const expiry = setTimeout(() => task.incoming.cancel(new Refusal('timed-out', 'The task took longer than its ttl')), ttlMs)
  try {
    const given = boundedResult(x, tool, await result.catch((thrown) => outcomeOf(thrown, x.revision)))
    const failed = given.isError && taskFormOf(x.revision).failsOnToolError && { statusMessage: firstText(given) }
    await task.become(failed ? 'failed' : 'completed', { outcome: { result: given }, ...failed })
  } catch (thrown) {
    const error = errorOf(thrown, tool)
    await task.become('failed', { outcome: { error }, statusMessage: error.message })
  } finally {
    clearTimeout(expiry)
    x.app.tasks.running.delete(taskId)
  }
}

/** Room for the rest of an answer. */
const envelopeBytes = 4_096

/** The result, or advice if no answer could carry it. Throws if it has no JSON form. */
function boundedResult(x: RequestContext, { wrapped }: ServedTool, result: ToolResult): ToolResult {
  const { resultBytes } = x.app.settings.limits
  const text = JSON.stringify(encodeToolResult(result, x.revision, wrapped))
  const isTooLarge = exceedsBytes(text, resultBytes - Math.min(envelopeBytes, resultBytes / 2))
  return isTooLarge ? errorResult(tooLargeAdvice(resultBytes)) : result
}

function errorOf(thrown: unknown, { name }: ServedTool): ErrorObject {
  if (thrown instanceof SuspendedWithQuestions)
    return { code: codes.internalError, message: 'A task cannot return inputRequired; ask with ctx.ask' }
  if (!(thrown instanceof RpcError)) reportFault(`a task of ${name}`, thrown)
  const error = RpcError.toWire(thrown)
  try {
    // Stores write it so, and refuse a bigint.
    JSON.stringify(error)
    return error
  } catch (cause) {
    reportFault(`a task of ${name}`, cause)
    return RpcError.toWire(cause)
  }
}

const firstText = ({ content: [first] }: ToolResult): string => (first?.type === 'text' ? first.text : 'The tool failed')
