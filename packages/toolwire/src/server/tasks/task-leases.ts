// Tasks that replicas share: each runs on one replica, which holds a lease on it, and is never run a second time.
import type { JsonObject } from '../../json.js'
import { codes } from '../../jsonrpc/error.js'
import { isOver, type TaskRecord, type TaskStore } from './task-store.js'

/** Names the replica that runs a task. The token is another one as soon as somebody else has ended the task. */
export type TaskLease = { readonly taskId: string; readonly token: number }

/** What has become of a task that runs here, as far as others can say. */
export type TaskNews = {
  readonly taskId: string
  /** Whether it is still ours to write. */
  readonly held: boolean
  /** Answers to its questions that came to other replicas. */
  readonly answers: Readonly<Record<string, JsonObject>>
}

/** How replicas share tasks. Each change is one compare-and-set. Where a lease has run out, the task is found failed. */
export type TaskLeases = {
  /** Keeps a new task, which runs here. */
  begin(record: TaskRecord): TaskLease | Promise<TaskLease>
  /** Writes what runs here: false where the lease is lost, or the task is over. */
  write(record: TaskRecord, lease: TaskLease): boolean | Promise<boolean>
  /** Ends what runs anywhere: false where it is over. */
  end(record: TaskRecord): boolean | Promise<boolean>
  /** Leaves answers for the replica that runs it. The first answer to a question counts. */
  answer(taskId: string, answers: Readonly<Record<string, JsonObject>>): void | Promise<void>
  /** Says of which of these there is news. */
  look(leases: readonly TaskLease[]): readonly TaskNews[] | Promise<readonly TaskNews[]>
  /** Makes the leases last longer, as far as they are held. */
  renew(leases: readonly TaskLease[]): void | Promise<void>
}

/** How long a task outlives the replica that runs it. */
export const taskLeaseMs = 10_000

const words = 'outcome_unknown: the process that ran this task has ended, and whether the task did its work cannot be known'

/** What has become of a task whose lease has run out. It may have done its work, so it is not run again. */
export const lostTask = {
  status: 'failed',
  statusMessage: words,
  questions: {},
  outcome: {
    error: { code: codes.internalError, message: `${words}; it was not run again`, data: { failure: 'outcome_unknown' } },
  },
} as const satisfies Partial<TaskRecord>

type LeasedTask = { record: TaskRecord; token: number; leasedUntil: number; readonly answers: { [key: string]: JsonObject } }

/** The same in memory, for one process that stands for several. */
export function memorySharedTasks(now: () => number = () => performance.now()): TaskStore {
  const kept = new Map<string, LeasedTask>()
  /** As others find it. */
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
