// How a task begins and ends.
import { isObject } from '../../json.js'
import { codes, type ErrorObject, RpcError } from '../../jsonrpc/error.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import { SuspendedWithQuestions } from '../../tools/suspension.js'
import { outcomeOf } from '../calls/run-tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import { reportFault } from '../report-fault.js'
import type { RequestContext } from '../request-context.js'
import type { RunningTask } from './running-task.js'
import type { TaskRecord } from './task-store.js'
import { taskFormOf } from './task-view.js'

const usualTtlMs = 3_600_000
const longestTtlMs = 86_400_000

export function newTaskRecord(x: RequestContext, tool: ServedTool): TaskRecord {
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

type StartedWork = { readonly tool: ServedTool; readonly result: Promise<ToolResult> }

/** Sees the task to its end: the work's, or its own if its time is over first. */
export async function completeTask(x: RequestContext, task: RunningTask, { tool, result }: StartedWork): Promise<void> {
  const { taskId, ttlMs } = task.record
  const expiry = setTimeout(() => task.incoming.cancel(new Refusal('timed-out', 'The task took longer than its ttl')), ttlMs)
  try {
    const given = await result.catch((thrown) => outcomeOf(thrown, x.revision))
    const failed = given.isError && taskFormOf(x.revision).failsOnToolError
    await task.become(failed ? 'failed' : 'completed', {
      outcome: { result: given },
      ...(failed && { statusMessage: firstText(given) }),
    })
  } catch (thrown) {
    const error = errorOf(thrown, tool)
    await task.become('failed', { outcome: { error }, statusMessage: error.message })
  } finally {
    clearTimeout(expiry)
    x.app.tasks.running.delete(taskId)
  }
}

function errorOf(thrown: unknown, { name }: ServedTool): ErrorObject {
  if (thrown instanceof SuspendedWithQuestions)
    return { code: codes.internalError, message: 'A task asks with ctx.ask, not with inputRequired' }
  if (!(thrown instanceof RpcError)) reportFault(`a task of ${name}`, thrown)
  return RpcError.toWire(thrown)
}

const firstText = ({ content: [first] }: ToolResult): string => (first?.type === 'text' ? first.text : 'The tool failed')
