// Shared stores in memory, for several servers in one process, and as a model of the database stores.
import type { JsonObject } from '../../src/json.js'
import type { CountedPlace, SharedTurns } from '../../src/policy/concurrency/shared-turns.js'
import type { SharedChange, SharedChanges } from '../../src/server/lists/shared-changes.js'
import { lostTask, type TaskLease, type TaskNews, taskLeaseMs } from '../../src/server/tasks/task-leases.js'
import { isOver, type TaskRecord, type TaskStore } from '../../src/server/tasks/task-store.js'

type LeasedTask = { record: TaskRecord; token: number; leasedUntil: number; readonly answers: { [key: string]: JsonObject } }

export function memorySharedTasks(now: () => number = () => performance.now()): TaskStore {
  const kept = new Map<string, LeasedTask>()
  /** The task as other replicas see it. */
  function found(taskId: string): LeasedTask | undefined {
    const task = kept.get(taskId)
    if (task && !isOver(task.record.status) && task.leasedUntil <= now()) {
      task.record = { ...task.record, ...lostTask, lastUpdatedAt: new Date().toISOString() }
      task.token++
    }
    return task
  }
  const isHeld = ({ taskId, token }: TaskLease) => {
    const task = kept.get(taskId)
    return task !== undefined && task.token === token && !isOver(task.record.status) ? task : undefined
  }
  const copy = (record: TaskRecord) => structuredClone(record)
  return {
    get: (taskId) => {
      const task = found(taskId)
      return task && copy(task.record)
    },
    put: (record) => void kept.set(record.taskId, leased(record)),
    list: (owner) =>
      [...kept.keys()].flatMap((id) => found(id) ?? []).flatMap(({ record }) => (record.owner === owner ? [copy(record)] : [])),
    leases: {
      begin(record) {
        kept.set(record.taskId, leased(record))
        return { taskId: record.taskId, token: 1 }
      },
      write(record, lease) {
        const task = isHeld(lease)
        if (task) task.record = copy(record)
        return task !== undefined
      },
      end(record) {
        const task = found(record.taskId)
        if (!task || isOver(task.record.status)) return false
        task.record = copy(record)
        task.token++
        return true
      },
      answer(taskId, answers) {
        const task = kept.get(taskId)
        if (task) Object.assign(task.answers, { ...answers, ...task.answers })
      },
      look: (leases) =>
        leases.flatMap((lease): TaskNews[] => {
          const task = isHeld(lease)
          if (!task) return [{ taskId: lease.taskId, held: false, answers: {} }]
          const asks = task.record.status === 'input_required' && Object.keys(task.answers).length > 0
          return asks ? [{ taskId: lease.taskId, held: true, answers: { ...task.answers } }] : []
        }),
      renew(leases) {
        for (const lease of leases) {
          const task = isHeld(lease)
          if (task) task.leasedUntil = now() + taskLeaseMs
        }
      },
    },
  }

  function leased(record: TaskRecord): LeasedTask {
    return { record: copy(record), token: 1, leasedUntil: now() + taskLeaseMs, answers: {} }
  }
}

export function memoryTurns(): SharedTurns {
  const taken = new Map<string, number>()
  const count = (places: readonly CountedPlace[], by: number) => {
    for (const { key } of places) taken.set(key, (taken.get(key) ?? 0) + by)
  }
  return {
    enter(places) {
      if (places.some(({ key, most }) => (taken.get(key) ?? 0) >= most)) return undefined
      count(places, 1)
      return () => count(places, -1)
    },
  }
}

export function memoryChanges(): SharedChanges {
  const listeners = new Map<string, (change: SharedChange) => void>()
  return {
    publish(from, change) {
      for (const [to, listener] of listeners) if (to !== from) listener(change)
    },
    listen(to, listener) {
      listeners.set(to, listener)
      return () => void listeners.delete(to)
    },
  }
}
