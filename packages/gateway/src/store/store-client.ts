import type { ApprovalRow } from './approvals/approval-row.js'
import type { Jobs } from './database/thread/jobs.js'

export type JobTable = Jobs['writes'] & Jobs['reads'] & Jobs['searches'] & Jobs['long']
export type JobArguments<Name extends keyof JobTable> = Name extends keyof Jobs['long']
  ? [Parameters<JobTable[Name]>[0]]
  : Parameters<JobTable[Name]>
export type JobResult<Name extends keyof JobTable> = Promise<Awaited<ReturnType<JobTable[Name]>>>

/** All jobs except those of the audit log, which each database implements in its own way. */
export type SharedWrite = Exclude<keyof Jobs['writes'], 'append' | 'dropRecords' | 'putMark' | 'putSigningKey' | 'useApproval'>
export type SharedRead = Exclude<keyof Jobs['reads'], 'head' | 'entry' | 'entriesAfter' | 'mark' | 'signingKey'>

/** A value that was kept or dropped, here or by another gateway. */
export type KeptListener = (key: string, value: string | undefined) => void
/** A request after a change, made here or by another gateway. */
export type ApprovalListener = (id: string, kept: ApprovalRow) => void

/** Changes made by any of several gateways. A change that was overtaken is not reported. */
export type ChangeSource = {
  readonly onKept: (room: string, listener: KeptListener) => void
  readonly onApproval: (listener: ApprovalListener) => void
  /** Reports the changes that other gateways have made until now. */
  readonly look: () => Promise<void>
  /** Registers a call that waits for a decision, until the returned function is called. */
  readonly wait: () => () => void
}

export interface StoreClient {
  run<Name extends SharedRead | SharedWrite>(job: Name, ...args: JobArguments<Name>): JobResult<Name>
  /** Runs a job that changes something, which also shows the health of the database. */
  write<Name extends SharedWrite>(job: Name, ...args: JobArguments<Name>): JobResult<Name>
  /** Undefined if no other gateway shares the database. */
  readonly changes?: ChangeSource
}
