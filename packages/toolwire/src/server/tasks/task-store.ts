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

type KeptTask = { readonly record: TaskRecord; readonly until: number }

/** Keeps tasks in this process until their ttl has passed. If there are too many, the caller with the most loses its oldest. */
export function memoryTasks(now: () => number = Date.now): TaskStore {
  const kept = new Map<string, KeptTask>()
  const over = ({ until }: KeptTask) => until < now()

  function makeRoom(): void {
    for (const [id, task] of kept) if (over(task)) kept.delete(id)
    if (kept.size <= mostKept) return
    const counts = new Map<string, number>()
    for (const { record } of kept.values()) counts.set(record.owner, (counts.get(record.owner) ?? 0) + 1)
    const most = Math.max(...counts.values())
    for (const [id, { record }] of kept) if (counts.get(record.owner) === most) return void kept.delete(id)
  }

  return {
    get(taskId) {
      const task = kept.get(taskId)
      return task && !over(task) ? task.record : undefined
    },
    put(record) {
      kept.set(record.taskId, { record, until: Date.parse(record.createdAt) + record.ttlMs })
      if (kept.size > mostKept) makeRoom()
    },
    list: (owner) => [...kept.values()].flatMap((task) => (task.record.owner === owner && !over(task) ? task.record : [])),
  }
}

export const isOver = (status: TaskStatus): boolean => status === 'completed' || status === 'failed' || status === 'cancelled'
