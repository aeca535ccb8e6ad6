// Calls that wait for somebody to say yes or no, as that somebody has to see them.
import type { JsonObject } from 'toolwire'
import type { PendingApproval } from 'toolwire/guard'

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
