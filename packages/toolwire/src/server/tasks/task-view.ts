import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeNotification } from '../../jsonrpc/message.js'
import type { PeerInfo } from '../../peer/conversation.js'
import { taskForms } from '../../revisions/encode/encode-task.js'
import { encodeToolResult } from '../../revisions/encode/encode-tool-result.js'
import { asJson } from '../../revisions/encode/pick-members.js'
import { tasksExtension } from '../../revisions/meta-keys.js'
import type { Revision } from '../../revisions/revision.js'
import type { TaskRecord } from './task-store.js'

/** The state of a task; with the extension, also its result or its questions. */
export function detailedTask(record: TaskRecord, revision: Revision): JsonObject {
  const task = taskFormOf(revision).task(record)
  if (revision.tasks !== 'extension') return task
  if (record.status === 'input_required') return { ...task, inputRequests: record.questions }
  if (!record.outcome || record.status === 'cancelled') return task
  return 'error' in record.outcome
    ? { ...task, error: asJson(record.outcome.error) }
    : { ...task, result: { ...encodeToolResult(record.outcome.result, revision), resultType: 'complete' } }
}

export const taskFormOf = ({ tasks }: Revision) => taskForms[tasks] ?? taskForms.extension

type ChangedTask = { readonly record: TaskRecord; readonly revision: Revision; readonly meta: JsonObject }

export const taskChangedMessage = ({ record, revision, meta }: ChangedTask): string =>
  encodeNotification(taskFormOf(revision).changed, { ...detailedTask(record, revision), _meta: meta })

/** True if the request declares the tasks extension. */
export const supportsTasks = ({ capabilities }: PeerInfo): boolean => capabilities.extensions?.[tasksExtension] !== undefined

export function tasksRequired({ errors }: Revision): RpcError {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  const message = `Missing required client capability: ${tasksExtension}`
  return new RpcError(errors.missingCapability ?? codes.methodNotFound, message, { data: { requiredCapabilities } })
}
