// Tasks that replicas share: each runs on one replica, which holds a lease on it, and never runs a second time.
import type { JsonObject } from '../../json.js'
import { codes } from '../../jsonrpc/error.js'
import type { TaskRecord } from './task-store.js'

/** The right of a replica to write a task. The fencing token changes when another replica ends the task. */
export type TaskLease = { readonly taskId: string; readonly token: number }

/** News from other replicas about a task that runs here. */
export type TaskNews = {
  readonly taskId: string
  /** True while this replica holds the lease. */
  readonly held: boolean
  /** Answers to its questions that came to other replicas. */
  readonly answers: Readonly<Record<string, JsonObject>>
}

/** Leases on tasks that replicas share. Each change is one compare-and-set. A task with an expired lease is read as failed. */
export type TaskLeases = {
  /** Stores a new task, which runs here. */
  begin(record: TaskRecord): TaskLease | Promise<TaskLease>
  /** Writes a task that runs here; false if the lease is lost, or the task has ended. */
  write(record: TaskRecord, lease: TaskLease): boolean | Promise<boolean>
  /** Ends a task on any replica; false if it has ended already. */
  end(record: TaskRecord): boolean | Promise<boolean>
  /** Stores answers for the replica that runs the task. The first answer to a question counts. */
  answer(taskId: string, answers: Readonly<Record<string, JsonObject>>): void | Promise<void>
  /** Returns the tasks for which there is news. */
  look(leases: readonly TaskLease[]): readonly TaskNews[] | Promise<readonly TaskNews[]>
  /** Renews those of the leases that are still held. */
  renew(leases: readonly TaskLease[]): void | Promise<void>
}

/** Lifetime of a lease: how long a task outlives the replica that runs it. */
export const taskLeaseMs = 10_000
export const renewLeaseEveryMs = 3_000

const words = 'outcome_unknown: the process that ran this task has ended, and whether the task did its work cannot be known'

/** The outcome of a task whose lease has expired. The task may have done its work, so it is not run again. */
export const lostTask = {
  status: 'failed',
  statusMessage: words,
  questions: {},
  outcome: {
    error: { code: codes.internalError, message: `${words}; it was not run again`, data: { failure: 'outcome_unknown' } },
  },
} as const satisfies Partial<TaskRecord>
