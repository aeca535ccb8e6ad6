// Calls that wait for somebody to say yes or no, as that somebody has to see them.
import type { JsonObject } from 'toolwire'
import type { PendingApproval } from 'toolwire/guard'
import type { ApprovalFilter } from '../store/approvals/approval-records.js'

export type Danger = 'destructive' | 'write' | 'read'

/** What is no longer as it was asked about: the call would not be made. */
export type ChangedSince = 'tool' | 'server' | 'definition' | 'policy'

export type ApprovalView = Omit<PendingApproval, 'server' | 'tool' | 'policyVersion'> & {
  readonly server: string | null
  readonly tool: PendingApproval['tool'] & { readonly hash: string }
  /** Nobody has verified the caller: it has shown nothing, and seems to be on this machine. */
  readonly unverified?: true
  /** Milliseconds since 1970. */
  readonly askedAt: number
  /** Name of the rule that has it asked about; none where that is so without a rule. */
  readonly rule?: string
  /** Version of the rules that were in force. */
  readonly policy?: string
  readonly danger: Danger
  /** The hints of its server are believed. */
  readonly trusted: boolean
  /** The call of the same tool by the same caller that was allowed last. */
  readonly last?: { readonly arguments: JsonObject; readonly at: number; readonly by?: string }
  readonly changed?: true
  readonly changes?: readonly ChangedSince[]
}

export type ApprovalGroup = {
  readonly server: string | null
  readonly tool: string
  readonly caller: string
  readonly count: number
  readonly danger: Danger
}

export type ApprovalsPage = {
  readonly total: number
  readonly groups: readonly ApprovalGroup[]
  readonly approvals: readonly ApprovalView[]
  readonly next?: string
}

type PageQuery = ApprovalFilter & { readonly limit: number; readonly after?: string }

export type Approvals = {
  /** The first ten of each caller, then their next ten; the most dangerous first, and of those the oldest. Undefined where the cursor is none. */
  page(query: PageQuery): Promise<ApprovalsPage | undefined>
  /** One that waits. */
  find(id: string): Promise<ApprovalView | undefined>
  /** What has become of those that wait no longer, the latest first. */
  past(most: number): Promise<readonly JsonObject[]>
  /** Denies all of these that wait, and gives how many that were. */
  denyAll(which: ApprovalFilter, verdict: { readonly why?: string; readonly by: string }): Promise<number>
}
