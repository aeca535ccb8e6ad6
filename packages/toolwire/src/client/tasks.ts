// Calls that the server answers with a task: looked at until they are over, their questions answered on the way.
import { isObject, type Json, type JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import type { CallOptions } from './client.js'
import { CallFailure } from './errors.js'
import { type Asking, answersTo, questionsIn } from './rounds.js'

const usualPollMs = 1_000
const shortestPollMs = 100
const longestPollMs = 60_000

/** What the editions call the parts of a task. */
type Task = { readonly taskId: string; readonly status: string; readonly pollMs: number; readonly told: JsonObject }

const over: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

/** The task in the answer to a call, if the call has become one. */
export function taskIn(result: JsonObject, kinds: 'none' | 'on-request' | 'extension'): JsonObject | undefined {
  if (kinds === 'extension') return result.resultType === 'task' ? result : undefined
  return kinds === 'on-request' && isObject(result.task) ? result.task : undefined
}

/** Waits until the task is over and gives what the call would have given. */
export async function waitForTask(first: JsonObject, asking: Asking, options: CallOptions): Promise<JsonObject> {
  let task = readTask(first)
  const { taskId } = task
  options.onTask?.(taskId)
  const answered = new Set<string>()
  try {
    while (!over.has(task.status)) {
      if (task.status === 'input_required' && !(await answer(task, answered, { asking, options })))
        return await resultOf(taskId, asking, options)
      await pause(task.pollMs, options.signal)
      task = readTask(await asking.connection.request('tasks/get', { taskId }, { repeatable: true, ...pass(options) }))
    }
  } catch (thrown) {
    if (options.signal?.aborted) await cancelTask(taskId, asking)
    throw thrown
  }
  return outcomeOf(task, asking, options)
}

function readTask(told: JsonObject): Task {
  const { taskId, status } = told
  if (typeof taskId !== 'string' || typeof status !== 'string')
    throw new CallFailure('bad_response', 'A task came back without its id or status')
  return { taskId, status, pollMs: pollMsIn(told.pollIntervalMs ?? told.pollInterval), told }
}

const pollMsIn = (value: Json | undefined): number =>
  typeof value === 'number' ? Math.min(Math.max(value, shortestPollMs), longestPollMs) : usualPollMs

const pass = ({ signal }: CallOptions) => (signal ? { signal } : {})

/** False where questions do not come with the task but as requests, once somebody waits for its result. */
async function answer(
  task: Task,
  answered: Set<string>,
  { asking, options }: { asking: Asking; options: CallOptions },
): Promise<boolean> {
  const { connection } = asking
  if (connection.revision.tasks !== 'extension') return false
  const questions = questionsIn(task.told.inputRequests, 'a task').filter(([key]) => !answered.has(key))
  if (questions.length === 0) return true
  if (answered.size + questions.length > connection.limits.rounds * 10)
    throw new CallFailure('limit', 'A task asks without end (limits.rounds)')
  // A key names one question for the whole life of a task, so nobody is shown the same one twice.
  for (const [key] of questions) answered.add(key)
  const inputResponses = await answersTo(questions, { method: 'a task', signal: options.signal, ...asking })
  await connection.request('tasks/update', { taskId: task.taskId, inputResponses }, pass(options))
  return true
}

async function outcomeOf({ taskId, status, told }: Task, asking: Asking, options: CallOptions): Promise<JsonObject> {
  if (status === 'cancelled') throw new CallFailure('cancelled', 'The server has cancelled the task')
  if (asking.connection.revision.tasks !== 'extension') return resultOf(taskId, asking, options)
  if (status === 'completed' && isObject(told.result)) return told.result
  const { code, message, data } = isObject(told.error) ? told.error : {}
  if (typeof code === 'number' && typeof message === 'string') throw new RpcError(code, message, { data })
  throw new CallFailure('bad_response', `A task is ${status} and says nothing about it`)
}

/** Blocks until the task is over; a person may have to answer first, so there is no clock but the caller's own. */
const resultOf = (taskId: string, { connection }: Asking, options: CallOptions): Promise<JsonObject> =>
  connection.request('tasks/result', { taskId }, { endless: true, repeatable: true, ...pass(options) })

async function cancelTask(taskId: string, { connection }: Asking): Promise<void> {
  await connection
    .request('tasks/cancel', { taskId })
    .catch((thrown) => connection.warn(`The task could not be cancelled: ${String(thrown)}`))
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(stop, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', stop)
  })
  if (signal?.aborted)
    throw new CallFailure('cancelled', 'The call was cancelled, and its task with it', { cause: signal.reason })
}
