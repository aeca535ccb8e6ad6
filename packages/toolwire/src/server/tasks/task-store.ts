import type { ErrorObject } from '../../jsonrpc/error.js'
import type { ToolResult } from '../../tools/result.js'
import type { InputRequest } from '../questions/elicitor.js'
import type { TaskLeases } from './task-leases.js'

/** Where a task stands; the last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What is known of a task. Each revision writes it in its own way. */
export type TaskRecord = {
  readonly taskId: string
  /** The caller who made it; others cannot see it. */
  readonly owner: string
  readonly tool: string
  readonly wrapped: boolean
  readonly createdAt: string
  readonly ttlMs: number
  status: TaskStatus
  statusMessage?: string
  lastUpdatedAt: string
  /** What is being asked now, by keys that are used once only. */
  questions: { readonly [key: string]: InputRequest }
  outcome?: { readonly result: ToolResult } | { readonly error: ErrorObject }
}

/** Where tasks are kept. One that several replicas share makes them readable from each; with `leases`, each can cancel and answer them. */
export interface TaskStore {
  get(taskId: string): TaskRecord | undefined | Promise<TaskRecord | undefined>
  /** Resolves when the record would be found again. */
  put(record: TaskRecord): void | Promise<void>
  /** The tasks of one caller, oldest first. */
  list(owner: string): readonly TaskRecord[] | Promise<readonly TaskRecord[]>
  /** Who may write, where several replicas do; `put` is not called then. */
  readonly leases?: TaskLeases
}

const mostKept = 10_000

/** Keeps tasks in this process until their time is over. */
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
