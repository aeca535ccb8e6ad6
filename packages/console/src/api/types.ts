// Types of the gateway's management API, from the gateway and the library. Every text in them is untrusted: show it with `Text`.

import type { JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { AuditOutcome as Ended, Grant } from 'toolwire/guard'
import type { approvals, ruleParts } from 'toolwire/relay'
import type { CallView } from '../../../gateway/src/api/control/call-control.js'
import type { ServerView } from '../../../gateway/src/api/control/control.js'
import type { ApprovalsPage } from '../../../gateway/src/approvals/approval-queue.js'
import type { WithheldEntry } from '../../../gateway/src/catalog/definitions/settle-names.js'
import type { ServerEdits } from '../../../gateway/src/config/editing/server-edits.js'
import type { SessionView } from '../../../gateway/src/console/console-routes.js'
import type { PinsView } from '../../../gateway/src/guard/pins/pin-registry.js'
import type { PolicyPreview, PolicyView } from '../../../gateway/src/guard/policy/policy-editor.js'
import type { ToolDetails } from '../../../gateway/src/guard/tools/describe-tool.js'
import type { SignedHead } from '../../../gateway/src/store/audit/signed-head.js'
import type { UpstreamState } from '../../../gateway/src/upstreams/upstream-status.js'

export type ConsideredRule = ruleParts.ConsideredRule
export type RuleDecision = ruleParts.Decision
export type StandingApproval = approvals.StandingApproval
export type { Hints, Json, JsonObject } from 'toolwire'

export type { Advice, AuditEntry, AuditVerdict, Grant } from 'toolwire/guard'
export type { Explanation } from 'toolwire/rules'
export type { CallView as Call } from '../../../gateway/src/api/control/call-control.js'
export type { ServerView as Server } from '../../../gateway/src/api/control/control.js'
export type { StatusView as Status } from '../../../gateway/src/api/routes/servers.js'
export type {
  ApprovalsPage as Approvals,
  ApprovalView as Approval,
  Danger,
} from '../../../gateway/src/approvals/approval-queue.js'
export type { ServerPlan } from '../../../gateway/src/config/editing/server-edits.js'
export type { SessionView as ConsoleSession } from '../../../gateway/src/console/console-routes.js'
export type { PinsView as Pins } from '../../../gateway/src/guard/pins/pin-registry.js'
export type { PolicyPreview, PolicyView as Policy } from '../../../gateway/src/guard/policy/policy-editor.js'
export type { ToolDetails as Tool } from '../../../gateway/src/guard/tools/describe-tool.js'
export type { Outlook, ToolState } from '../../../gateway/src/guard/tools/tool-view.js'
export type { TrackCounts as Series } from '../../../gateway/src/monitoring/stats/counter-track.js'
export type { LimitReached } from '../../../gateway/src/monitoring/stats/limits-reached.js'
export type { StatsDimension as StatsBy, StatsView as Stats } from '../../../gateway/src/monitoring/stats/stats.js'
export type { AuditCall, AuditPage } from '../../../gateway/src/store/audit/audit-query.js'
export type { StoredRecord as AuditRecord } from '../../../gateway/src/store/audit/log-reader.js'

export type { PendingLogin as LoginPage } from '../../../gateway/src/upstreams/logins/logins.js'

export type ApprovalGroup = ApprovalsPage['groups'][number]
export type EditableServer = NonNullable<Awaited<ReturnType<ServerEdits['entry']>>>
export type PolicyCase = PolicyView['cases'][number]
export type PolicyChange = PolicyPreview['changes'][number]
export type PolicyRule = PolicyView['rules'][number]

export type CallOutcome = Ended['outcome']

/** The result of accepting many definitions; a stale one has changed since it was shown. */
export type AcceptedMany = { readonly accepted: readonly JsonObject[]; readonly stale: readonly JsonObject[] }

/** A scan finding about pending definitions of one server. */
export type ScanFinding = PinsView['findings'][number]

/** A pending definition; for a refused one also the time, and the person who refused it. */
export type Drift = PinsView['waiting'][number] & Partial<Pick<PinsView['refused'][number], 'refusedAt' | 'by'>>

export type AuditHead = { readonly head: SignedHead | null; readonly publicKey: string }
export type Calls = { readonly calls: readonly CallView[] }
export type ConsoleSessions = { readonly sessions: readonly SessionView[] }
export type Grants = { readonly grants: readonly Grant[] }
export type Servers = { readonly servers: readonly ServerView[]; readonly withheld: readonly WithheldEntry[] }
export type ToolsAnswer = { readonly tools: readonly ToolDetails[] }
/** An API key of a caller, without its secret. */
export type ApiKey = {
  readonly id: string
  readonly caller?: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number
}
export type ApiKeys = { readonly keys: readonly ApiKey[] }

/** Data of gateway events by kind. All have `at`, in milliseconds since 1970. */
export type EventData = {
  call: { readonly at: number } & CallEvent
  calls: CallSummary
  approval: { readonly at: number } & ApprovalEvent
  upstream: { readonly at: number; readonly server: string; readonly state: UpstreamState; readonly why?: string }
  pin: { readonly at: number; readonly what: string; readonly server: string; readonly tool: string; readonly hash: string }
  policy: { readonly at: number; readonly what?: string; readonly why?: string }
  config: { readonly at: number; readonly what?: string; readonly why?: string }
  audit: { readonly at: number; readonly sequence: number; readonly hash: string }
  /** Events were missed while the page was disconnected, so loaded data must be loaded again. */
  missed: JsonObject
}

export type EventKind = keyof EventData

type About = Pick<CallView, 'tool' | 'server' | 'caller' | 'set'> & { readonly call: number }

export type CallEvent =
  | (About & { readonly what: 'begun' } & Partial<Pick<CallView, 'arguments' | 'cut'>>)
  | (About & { readonly what: 'progress' } & Progress)
  | (About & { readonly what: 'waiting'; readonly waiting?: string })
  | (About & {
      readonly what: 'ended'
      readonly outcome: CallOutcome
      readonly reason?: string
      readonly ms: number
      /** Id of the call in the audit log. */
      readonly record?: string
    })

/** Sent instead of single events when there are very many calls. */
export type CallSummary = {
  readonly at: number
  readonly begun: number
  readonly ended: { readonly [outcome: string]: number }
  /** Ids of announced calls that have ended. */
  readonly over?: readonly number[]
}

export type ApprovalEvent = {
  readonly what: 'asked' | 'over'
  readonly id: string
  readonly tool?: string
  readonly server?: string
  readonly caller?: string
  readonly expiresAt?: number
  readonly state?: string
  readonly decision?: 'allow' | 'deny'
  readonly by?: string
}
