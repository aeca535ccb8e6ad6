// Encodes tasks: first a part of the core, later an extension with other names.
import type { JsonObject } from '../../json.js'
import { metaKeys } from '../meta-keys.js'
import { pickMembers } from './pick-members.js'

/** The properties of a task that clients see. */
type TaskView = {
  taskId: string
  status: string
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  ttlMs: number
}

const pollEveryMs = 1_000

const common = (task: TaskView): JsonObject =>
  pickMembers(task, ['taskId', 'status', 'statusMessage', 'createdAt', 'lastUpdatedAt'])

export const taskForms = {
  none: undefined,
  'on-request': {
    task: (task: TaskView): JsonObject => ({ ...common(task), ttl: task.ttlMs, pollInterval: pollEveryMs }),
    created: (task: JsonObject): JsonObject => ({ task }),
    /** `_meta` that marks a result as the task's. */
    related: (taskId: string): JsonObject => ({ [metaKeys.relatedTask]: { taskId } }),
    changed: 'notifications/tasks/status',
    failsOnToolError: true,
  },
  extension: {
    task: (task: TaskView): JsonObject => ({ ...common(task), ttlMs: task.ttlMs, pollIntervalMs: pollEveryMs }),
    created: (task: JsonObject): JsonObject => ({ resultType: 'task', ...task }),
    related: (): JsonObject => ({}),
    changed: 'notifications/tasks',
    failsOnToolError: false,
  },
} as const
