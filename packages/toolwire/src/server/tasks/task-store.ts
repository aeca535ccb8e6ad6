import type { ErrorObject } from '../../jsonrpc/error.js'
import type { ToolResult } from '../../tools/result.js'
import type { InputRequest } from '../questions/elicitor.js'
import type { TaskLeases } from './task-leases.js'

/** The status of a task; the last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The stored state of a task. Each revision encodes it in its own way. */
export type TaskRecord = {
  readonly taskId: string
  /** The caller who created the task; others cannot see it. */
  readonly owner: string
  readonly tool: string
  readonly wrapped: boolean
  readonly createdAt: string
  readonly ttlMs: number
  status: TaskStatus
  statusMessage?: string
  lastUpdatedAt: string
  /** The open questions, by keys that are used only once. */
  questions: { readonly [key: string]: InputRequest }
  outcome?: { readonly result: ToolResult } | { readonly error: ErrorObject }
}

/** Stores tasks. A store that replicas share makes tasks readable from each; with `leases`, each can cancel and answer them. */
export interface TaskStore {
  get(taskId: string): TaskRecord | undefined | Promise<TaskRecord | undefined>
  /** Resolves when the record can be read. */
  put(record: TaskRecord): void | Promise<void>
  /** The tasks of one caller, oldest first. */
  list(owner: string): readonly TaskRecord[] | Promise<readonly TaskRecord[]>
  /** Leases for a store that several replicas write to; `put` is not called then. */
  readonly leases?: TaskLeases
}

const mostKept = 10_000

/** Keeps tasks in this process until their ttl has passed. */
export function memoryTasks(now: () => number = Date.now): TaskStore {
  const records = new Map<string, TaskRecord>()
  const over = (record: TaskRecord) => Date.parse(record.createdAt) + record.ttlMs < now()
  return {
    get(taskId) {
      const record = records.get(taskId)
      return record && !over(record) ? record : undefined
    },
    put(record) {
      records.set(record.taskId, record)
      if (records.size > mostKept) for (const [id, one] of records) if (over(one) || records.size > mostKept) records.delete(id)
    },
    list: (owner) => [...records.values()].filter((record) => record.owner === owner && !over(record)),
  }
}

export const isOver = (status: TaskStatus): boolean => status === 'completed' || status === 'failed' || status === 'cancelled'
