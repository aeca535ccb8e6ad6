import type { JsonObject } from '../../json.js'
import { encodeNotification } from '../../jsonrpc/message.js'
import { taskForms } from '../../revisions/encode/encode-task.js'
import { encodeToolResult } from '../../revisions/encode/encode-tool-result.js'
import { asJson } from '../../revisions/encode/pick-members.js'
import type { Revision } from '../../revisions/revision.js'
import type { TaskRecord } from './task-store.js'

/** The state of a task; with the extension also what came of it, or what it asks. */
export function detailedTask(record: TaskRecord, revision: Revision): JsonObject {
  const task = taskFormOf(revision).task(record)
  if (revision.tasks !== 'extension') return task
  if (record.status === 'input_required') return { ...task, inputRequests: record.questions }
  if (!record.outcome || record.status === 'cancelled') return task
  return 'error' in record.outcome
    ? { ...task, error: asJson(record.outcome.error) }
    : { ...task, result: { ...encodeToolResult(record.outcome.result, revision), resultType: 'complete' } }
}

export function taskFormOf(revision: Revision): NonNullable<(typeof taskForms)[Revision['tasks']]> {
  return taskForms[revision.tasks] ?? taskForms.extension
}

export const taskChangedMessage = (record: TaskRecord, revision: Revision, meta: JsonObject): string =>
  encodeNotification(taskFormOf(revision).changed, { ...detailedTask(record, revision), _meta: meta })
