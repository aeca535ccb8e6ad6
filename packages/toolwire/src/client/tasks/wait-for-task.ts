// Calls that the server answers with a task. The task is polled until it is over, and its questions are answered meanwhile.
import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { notifyListener } from '../../policy/notify-listener.js'
import { printableName } from '../../text/printable-name.js'
import type { CallOptions } from '../client.js'
import { outcomeUnknown } from '../connection/call-failures.js'
import { CallFailure, type CallFailureCode } from '../errors.js'
import { type InputContext, inputRequestsIn, inputResponsesTo, UnanswerableInput } from '../questions/input-rounds.js'
import type { ScopedRequest } from '../questions/request-scopes.js'
import { pause } from '../wait-for.js'

const usualPollMs = 1_000
const shortestPollMs = 100
const longestPollMs = 60_000

/** The parts of a task, whatever the revision calls them; `source` is the message they came in. */
type Task = { readonly taskId: string; readonly status: string; readonly pollMs: number; readonly source: JsonObject }

type TaskOptions = CallOptions & ScopedRequest & { readonly repeatable?: boolean | undefined }

const endedStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export function taskInResult(result: JsonObject, kinds: 'none' | 'on-request' | 'extension'): JsonObject | undefined {
  if (kinds === 'extension') return result.resultType === 'task' ? result : undefined
  return kinds === 'on-request' && isObject(result.task) ? result.task : undefined
}

/** Waits until the task is over, within the time limit, and returns the result of the call. */
export async function waitForTask(first: JsonObject, asking: InputContext, options: TaskOptions): Promise<JsonObject> {
  const task = readTask(first)
  const { taskId } = task
  const { onTask, scope } = options
  if (scope) scope.taskId = taskId
  if (onTask) notifyListener('onTask', () => onTask(taskId))
  const clock = taskClock(options.totalMs ?? asking.connection.limits.taskMs)
  try {
    return await pollTask(task, { asking, options, clock })
  } catch (thrown) {
    // A task with an unanswered question would wait forever. The cancellation is not awaited, because the server may be slow with that
    // too.
    if (options.signal?.aborted || clock.leftMs() === 0 || thrown instanceof UnanswerableInput) void cancelTask(taskId, asking)
    throw options.repeatable ? thrown : inDoubt(thrown)
  }
}

/** Without a result, the tool may have run all the same, unless the task was cancelled. */
const inDoubt = (thrown: unknown): unknown =>
  thrown instanceof CallFailure && !(thrown instanceof UnanswerableInput) && !knownOutcomes.has(thrown.code)
    ? outcomeUnknown(thrown)
    : thrown

const knownOutcomes: ReadonlySet<CallFailureCode> = new Set(['cancelled', 'outcome_unknown'])

/** Measures the time left for a task. The clock stops while a person is asked. */
function taskClock(totalMs: number) {
  let until = performance.now() + totalMs
  return {
    leftMs: () => Math.max(0, until - performance.now()),
    async paused<T>(work: () => Promise<T>): Promise<T> {
      const since = performance.now()
      const left = until
      until = Number.POSITIVE_INFINITY
      try {
        return await work()
      } finally {
        until = left + performance.now() - since
      }
    },
  }
}

type TaskContext = { asking: InputContext; options: TaskOptions; clock: ReturnType<typeof taskClock> }

async function pollTask(first: Task, context: TaskContext): Promise<JsonObject> {
  const { asking, options, clock } = context
  let task = first
  const { taskId } = task
  const answered = new Set<string>()
  while (!endedStatuses.has(task.status)) {
    if (task.status === 'input_required') {
      // Questions come as requests in these revisions, while the client waits for the result.
      if (asking.connection.revision.tasks !== 'extension') return resultOf(taskId, context)
      await answerTaskQuestions(task, answered, context)
    }
    await pause(Math.min(task.pollMs, clock.leftMs()), options.signal, 'tools/call')
    if (clock.leftMs() === 0) {
      const what = `The task ${printableName(taskId)} took longer than allowed (totalMs, limits.taskMs) and was cancelled.`
      throw new CallFailure('outcome_unknown', what)
    }
    task = readTask(await requestAboutTask('tasks/get', { taskId }, context))
  }
  return taskOutcome(task, context)
}

type TaskRequest = { readonly taskId: string } & JsonObject

/** The id was valid when the server gave it, so an error means that the task is lost. */
async function requestAboutTask(method: string, params: TaskRequest, { asking, options, clock }: TaskContext) {
  const { connection } = asking
  const totalMs = Math.min(clock.leftMs(), connection.limits.totalMs)
  try {
    return await connection.request(method, params, { totalMs, ...requestOptionsOf(options) })
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    throw outcomeUnknown(thrown, `${method} of the task ${printableName(params.taskId)} failed: ${thrown.message}`)
  }
}

function readTask(source: JsonObject): Task {
  const { taskId, status } = source
  if (typeof taskId !== 'string' || typeof status !== 'string')
    throw new CallFailure('bad_response', 'The server sent a task without an id or a status')
  return { taskId, status, pollMs: pollMsIn(source.pollIntervalMs ?? source.pollInterval), source }
}

const pollMsIn = (value: Json | undefined): number =>
  typeof value === 'number' ? Math.min(Math.max(value, shortestPollMs), longestPollMs) : usualPollMs

const requestOptionsOf = ({ signal, scope }: TaskOptions) => ({ scope, ...(signal && { signal }) })

async function answerTaskQuestions(task: Task, answered: Set<string>, context: TaskContext): Promise<void> {
  const { asking, options, clock } = context
  const { connection } = asking
  const questions = inputRequestsIn(task.source.inputRequests, 'a task').filter(([key]) => !answered.has(key))
  if (questions.length === 0) return
  if (answered.size + questions.length > connection.limits.rounds * 10)
    throw new CallFailure('limit', 'A task asked more questions than limits.rounds allows')
  // A key names one question for the whole life of a task, so nobody is shown the same one twice.
  for (const [key] of questions) answered.add(key)
  const elicitationHandler = options.scope?.elicitationHandler ?? asking.elicitationHandler
  const round = { method: 'a task', signal: options.signal, connection, elicitationHandler }
  const inputResponses = await clock.paused(() => inputResponsesTo(questions, round))
  await requestAboutTask('tasks/update', { taskId: task.taskId, inputResponses }, context)
}

async function taskOutcome({ taskId, status, source }: Task, context: TaskContext): Promise<JsonObject> {
  if (status === 'cancelled') throw new CallFailure('cancelled', 'The server has cancelled the task')
  if (context.asking.connection.revision.tasks !== 'extension') return resultOf(taskId, context)
  if (status === 'completed' && isObject(source.result)) return source.result
  const { code, message, data } = isObject(source.error) ? source.error : {}
  if (typeof code === 'number' && typeof message === 'string') throw new RpcError(code, message, { data })
  throw new CallFailure('bad_response', `A task has the status ${status}, but no result or error.`)
}

/** Waits until the task is over. The time limit pauses while the server asks this client something. */
async function resultOf(taskId: string, context: TaskContext): Promise<JsonObject> {
  const { asking, options, clock } = context
  const leftMs = clock.leftMs()
  try {
    const patience = { idleMs: leftMs, totalMs: leftMs, ...requestOptionsOf(options) }
    return await asking.connection.request('tasks/result', { taskId }, patience)
  } catch (thrown) {
    // The error may also be the tool's, so the server is asked if the task still exists, even if the time is up.
    if (thrown instanceof RpcError && thrown.code === codes.invalidParams)
      await requestAboutTask('tasks/get', { taskId }, { ...context, clock: taskClock(asking.connection.limits.totalMs) })
    throw thrown
  }
}

async function cancelTask(taskId: string, { connection }: InputContext): Promise<void> {
  await connection
    .request('tasks/cancel', { taskId })
    .catch((thrown) => connection.warn(`The task could not be cancelled: ${String(thrown)}`))
}
