import type { ApprovalRow } from './approvals/approval-row.js'
import type { Jobs } from './database/thread/jobs.js'

export type JobTable = Jobs['writes'] & Jobs['reads'] & Jobs['long']
export type JobArguments<Name extends keyof JobTable> = Name extends keyof Jobs['long']
  ? [Parameters<JobTable[Name]>[0]]
  : Parameters<JobTable[Name]>
export type JobResult<Name extends keyof JobTable> = Promise<Awaited<ReturnType<JobTable[Name]>>>

/** Everything but the audit log, which each database keeps in its own way. */
export type SharedWrite = Exclude<keyof Jobs['writes'], 'append' | 'dropRecords' | 'putMark' | 'useApproval'>
export type SharedRead = Exclude<
  keyof Jobs['reads'],
  'head' | 'entry' | 'entriesAfter' | 'search' | 'callOf' | 'firstSince' | 'callsAfter' | 'cut' | 'mark'
>

/** A value that was kept or dropped, here or by another gateway. */
export type KeptListener = (key: string, value: string | undefined) => void
/** A request as it is after a change, made here or by another gateway; `id` is its own. */
export type ApprovalListener = (id: string, kept: ApprovalRow) => void

/** What several gateways change: each hears what the others did. Nothing that was overtaken is told. */
export type ChangeSource = {
  readonly onKept: (room: string, listener: KeptListener) => void
  readonly onApproval: (listener: ApprovalListener) => void
  /** Somebody waits to hear of one, until the returned function is called. */
  readonly wait: () => () => void
}

/** Asks a database, whichever it is. */
export interface StoreClient {
  run<Name extends SharedRead | SharedWrite>(job: Name, ...args: JobArguments<Name>): JobResult<Name>
  /** The same for what changes something: it shows how the database is doing. */
  write<Name extends SharedWrite>(job: Name, ...args: JobArguments<Name>): JobResult<Name>
  /** Undefined where nobody else changes anything. */
  readonly changes?: ChangeSource
}
