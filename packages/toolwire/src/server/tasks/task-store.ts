import { longestTimer } from '../../bounds/longest-timer.js'
import { encodeJson } from '../../json.js'
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

type TaskLimits = { readonly count: number; readonly bytes: number }
type KeptTask = { record: TaskRecord; readonly timer: ReturnType<typeof setTimeout>; bytes: number }

const roomForEach: TaskLimits = { count: 1_000, bytes: 16_777_216 }
const roomForAll: TaskLimits = { count: 10_000, bytes: 134_217_728 }

/**
 * Keeps tasks in this process until their ttl has passed, within limits, because results can be large and not every caller fetches
 * them. Running tasks always stay, because they are limited elsewhere; of the others, the oldest are removed first.
 */
export function memoryTasks(each: TaskLimits = roomForEach, all: TaskLimits = roomForAll): TaskStore {
  const kept = new Map<string, KeptTask>()
  /** The tasks of each caller. */
  const shares = new Map<string, { count: number; bytes: number }>()
  const total = { count: 0, bytes: 0 }

  function count({ owner }: TaskRecord, tasks: number, bytes: number): void {
    const share = shares.get(owner) ?? { count: 0, bytes: 0 }
    for (const sum of [share, total]) {
      sum.count += tasks
      sum.bytes += bytes
    }
    if (share.count > 0) shares.set(owner, share)
    else shares.delete(owner)
  }

  function forget({ record, timer, bytes }: KeptTask): void {
    clearTimeout(timer)
    kept.delete(record.taskId)
    count(record, -1, -bytes)
  }

  function keep(record: TaskRecord): KeptTask | undefined {
    const leftMs = lifetimeLeftMs(record)
    if (leftMs <= 0) return undefined
    const timer = setTimeout(() => forget(task), Math.min(leftMs, longestTimer))
    if (typeof timer === 'object') timer.unref()
    const task: KeptTask = { record, timer, bytes: 0 }
    kept.set(record.taskId, task)
    count(record, 1, 0)
    return task
  }

  /** Removes ended tasks, but not the one that was just stored, whose client may not have seen its end. */
  function makeRoom(
    used: { count: number; bytes: number } | undefined,
    room: TaskLimits,
    stored: KeptTask,
    owner?: string,
  ): void {
    if (!used || (used.count <= room.count && used.bytes <= room.bytes)) return
    for (const task of kept.values()) {
      if (task === stored || !isOver(task.record.status) || (owner !== undefined && task.record.owner !== owner)) continue
      forget(task)
      if (used.count <= room.count && used.bytes <= room.bytes) return
    }
  }

  return {
    get: (taskId) => kept.get(taskId)?.record,
    put(record) {
      const task = kept.get(record.taskId) ?? keep(record)
      if (!task) return
      const bytes = record.outcome ? encodeJson(record.outcome).length : 0
      count(record, 0, bytes - task.bytes)
      Object.assign(task, { record, bytes })
      makeRoom(shares.get(record.owner), each, task, record.owner)
      makeRoom(total, all, task)
    },
    list: (owner) => [...kept.values()].flatMap(({ record }) => (record.owner === owner ? record : [])),
  }
}

/** Milliseconds until the task expires. A clock that is set back makes no task last longer. */
export const lifetimeLeftMs = ({ createdAt, ttlMs }: TaskRecord): number =>
  Math.max(0, Math.min(ttlMs, Date.parse(createdAt) + ttlMs - Date.now()))

export const isOver = (status: TaskStatus): boolean => status === 'completed' || status === 'failed' || status === 'cancelled'
