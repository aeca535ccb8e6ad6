// Tasks that replicas share: each runs on one replica, which holds a lease on it, and is never run a second time.
import type { JsonObject } from '../../json.js'
import { codes } from '../../jsonrpc/error.js'
import type { TaskRecord } from './task-store.js'

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
