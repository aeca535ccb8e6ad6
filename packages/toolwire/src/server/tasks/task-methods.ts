// Methods for tasks: get, answer questions, wait for the result, cancel, list.

import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { IncomingRequest } from '../../peer/incoming-request.js'
import { encodeToolResult } from '../../revisions/encode/encode-tool-result.js'
import { metaOf } from '../../revisions/meta-keys.js'
import { openCursor } from '../lists/list-pages.js'
import { responsesIn } from '../questions/read-answer.js'
import type { RequestContext } from '../request-context.js'
import { RunningTask } from './running-task.js'
import { isOver, type TaskRecord } from './task-store.js'
import { detailedTask, supportsTasks, taskFormOf, tasksRequired } from './task-view.js'

const tasksOnPage = 100
const lookEveryMs = 500

export async function getTask(x: RequestContext): Promise<JsonObject> {
  demandExtension(x)
  const record = await recordFor(x)
  return detailedTask(record, x.revision)
}

export async function updateTask(x: RequestContext): Promise<JsonObject> {
  demandExtension(x)
  const record = await recordFor(x)
  const { running, store } = x.app.tasks
  const answers = responsesIn(x.params)
  const task = running.get(record.taskId)
  if (task) await task.answer(answers)
  else await store.leases?.answer(record.taskId, awaitedOf(answers, record))
  return {}
}

const awaitedOf = (answers: Readonly<Record<string, JsonObject>>, { questions }: TaskRecord) =>
  Object.fromEntries(Object.entries(answers).filter(([key]) => Object.hasOwn(questions, key)))

export async function cancelTask(x: RequestContext): Promise<JsonObject> {
  demandExtension(x)
  const record = await recordFor(x)
  const already = isOver(record.status)
  if (already && x.revision.tasks === 'on-request')
    throw new RpcError(codes.invalidParams, `The task is ${record.status} already`)
  if (!already) await cancel(x, record)
  return x.revision.tasks === 'on-request' ? taskFormOf(x.revision).task(record) : {}
}

async function cancel(x: RequestContext, record: TaskRecord): Promise<void> {
  const running = x.app.tasks.running.get(record.taskId)
  const cancelled = new RpcError(codes.internalError, 'The task was cancelled')
  await (running ?? new RunningTask(x.app.tasks, record)).become('cancelled', {
    statusMessage: 'Cancelled on request',
    outcome: { error: RpcError.toWire(cancelled) },
  })
  running?.incoming.cancel(cancelled)
}

/** Blocks until the task has ended, and returns the result of its call. */
export async function taskResult(x: RequestContext): Promise<JsonObject> {
  const record = await waitUntilOver(x, await recordFor(x))
  const { outcome } = record
  if (!outcome) throw new RpcError(codes.internalError, 'The task ended without a result')
  if ('error' in outcome) throw new RpcError(outcome.error.code, outcome.error.message, { data: outcome.error.data })
  const result = encodeToolResult(outcome.result, x.revision, record.wrapped)
  return { ...result, _meta: { ...metaOf(result), ...taskFormOf(x.revision).related(record.taskId) } }
}

async function waitUntilOver(x: RequestContext, found: TaskRecord): Promise<TaskRecord> {
  if (isOver(found.status)) return found
  const { tasks, openResults } = x.app
  const release = openResults.take(x.caller)
  x.keepOnly({ taskId: found.taskId })
  try {
    for (let record = found; ; record = await recordFor(x)) {
      if (isOver(record.status)) return record
      const running = tasks.running.get(record.taskId)
      if (running) {
        await waitFor(x, running)
        return running.record
      }
      // The task runs on another replica, so only the store can be polled.
      await nextLook(x.incoming)
    }
  } finally {
    release()
  }
}

/** Waits for the time of the next look; rejects if the request is cancelled. */
function nextLook(incoming: IncomingRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer)
      reject(incoming.reason)
    }
    const timer = setTimeout(() => {
      incoming.removeEventListener('abort', cancel)
      resolve()
    }, lookEveryMs)
    if (incoming.aborted) cancel()
    else incoming.addEventListener('abort', cancel)
  })
}

async function waitFor(x: RequestContext, task: RunningTask): Promise<void> {
  const { awaited } = x.app.tasks
  const { taskId } = task.record
  awaited.set(taskId, x)
  try {
    task.replyOpened?.()
    await Promise.race([task.over, rejectOnAbort(x.incoming.signal)])
  } finally {
    if (awaited.get(taskId) === x) awaited.delete(taskId)
  }
}

/** Refuses anonymous callers, who would see the tasks of strangers. */
export async function listTasks(x: RequestContext): Promise<JsonObject> {
  if (x.caller.anonymous) throw new RpcError(codes.methodNotFound, 'tasks/list needs an authenticated caller')
  const { sealer, tasks } = x.app
  const records = await tasks.list(x.caller.id)
  const start = x.params.cursor === undefined ? 0 : await placeOf(x, records)
  const shown = records.slice(start, start + tasksOnPage)
  const last = shown.at(-1)
  const nextCursor =
    last && start + shown.length < records.length ? await sealer.seal(cursorsOf(x), cursorAfter(last)) : undefined
  return { tasks: shown.map((record) => taskFormOf(x.revision).task(record)), ...(nextCursor !== undefined && { nextCursor }) }
}

const cursorAfter = ({ taskId, createdAt }: TaskRecord) => ({ taskId, createdAt })
const cursorsOf = ({ caller }: RequestContext): string => `cursor:task-pages:${caller.id}`

/** The start of a cursor's page: after the task that it names, or at the next later task if that one has expired. */
async function placeOf(x: RequestContext, records: readonly TaskRecord[]): Promise<number> {
  // A cursor that opens was sealed in listTasks.
  const opened = (await openCursor(x.app.sealer, cursorsOf(x), x.params.cursor)) as ReturnType<typeof cursorAfter>
  const last = records.findIndex(({ taskId }) => taskId === opened.taskId)
  if (last >= 0) return last + 1
  const next = records.findIndex(({ createdAt }) => createdAt >= opened.createdAt)
  return next >= 0 ? next : records.length
}

async function recordFor(x: RequestContext): Promise<TaskRecord> {
  const { taskId } = x.params
  const { tasks } = x.app
  const { running, store } = tasks
  const record =
    typeof taskId === 'string'
      ? ((store.leases ? undefined : running.get(taskId)?.record) ?? (await tasks.read(taskId)))
      : undefined
  if (!record || record.owner !== x.caller.id)
    throw new RpcError(codes.invalidParams, 'params.taskId names no task of this caller')
  return record
}

function demandExtension(x: RequestContext): void {
  if (x.revision.tasks === 'extension' && !supportsTasks(x.peerInfo)) throw tasksRequired(x.revision)
}
