// What the gateway's management API says, in the words of the gateway itself: types, of which nothing is left in the page. Every text
// in there is somebody else's: show it with `Text`.

import type { JsonObject } from 'toolwire'
import type { AuditOutcome as Ended, Grant } from 'toolwire/guard'
import type { approvals, ruleParts } from 'toolwire/relay'
import type { CallView } from '../../../gateway/src/api/control/call-control.js'
import type { ServerView } from '../../../gateway/src/api/control/control.js'
import type { SessionView } from '../../../gateway/src/console/console-routes.js'
import type { PinsView } from '../../../gateway/src/guard/pins/pin-views.js'
import type { ToolDetails } from '../../../gateway/src/guard/tools/tool-view.js'
import type { SignedHead } from '../../../gateway/src/store/audit/signed-head.js'

export type ConsideredRule = ruleParts.ConsideredRule
export type RuleDecision = ruleParts.Decision
export type StandingApproval = approvals.StandingApproval
export type { Hints, Json, JsonObject } from 'toolwire'
export type { Progress } from 'toolwire/client'

export type { Advice, AuditEntry, AuditVerdict, Grant } from 'toolwire/guard'
export type { Explanation } from 'toolwire/rules'
export type { CallView as Call } from '../../../gateway/src/api/control/call-control.js'
export type { ServerView as Server, StatusView as Status } from '../../../gateway/src/api/control/control.js'
export type {
  ApprovalGroup,
  ApprovalsPage as Approvals,
  ApprovalView as Approval,
  Danger,
} from '../../../gateway/src/approvals/approval-views.js'
export type { EditableServer, ServerPlan } from '../../../gateway/src/config/editing/server-edits.js'
export type { SessionView as ConsoleSession } from '../../../gateway/src/console/console-routes.js'
export type { PinsView as Pins } from '../../../gateway/src/guard/pins/pin-views.js'
export type {
  CaseView as PolicyCase,
  PolicyChange,
  PolicyPreview,
  PolicyView as Policy,
  RuleView as PolicyRule,
} from '../../../gateway/src/guard/policy/policy-editor.js'
export type { Outlook, ToolDetails as Tool, ToolState } from '../../../gateway/src/guard/tools/tool-view.js'
export type { TrackCounts as Series } from '../../../gateway/src/monitoring/stats/counter-track.js'
export type { LimitReached } from '../../../gateway/src/monitoring/stats/limits-reached.js'
export type { StatsDimension as StatsBy, StatsView as Stats } from '../../../gateway/src/monitoring/stats/stats.js'
export type { AuditCall, AuditPage } from '../../../gateway/src/store/audit/audit-query.js'
export type { StoredRecord as AuditRecord } from '../../../gateway/src/store/audit/stored-audit.js'
export type { UpstreamState } from '../../../gateway/src/upstreams/upstream-status.js'
export type * from './event-types.js'

/** How a call ended. */
export type CallOutcome = Ended['outcome']

/** What became of many definitions that were to be accepted. */
export type AcceptedMany = { readonly accepted: readonly JsonObject[]; readonly stale: readonly JsonObject[] }

/** What a scan says of definitions of one server that wait. */
export type ScanFinding = PinsView['findings'][number]

/** A definition that waits to be accepted; where it was refused: when, and by whom. */
export type Drift = PinsView['waiting'][number] & Partial<Pick<PinsView['refused'][number], 'refusedAt' | 'by'>>

export type AuditHead = { readonly head: SignedHead | null; readonly publicKey: string }
export type Calls = { readonly calls: readonly CallView[] }
export type ConsoleSessions = { readonly sessions: readonly SessionView[] }
export type Grants = { readonly grants: readonly Grant[] }
export type Servers = { readonly servers: readonly ServerView[]; readonly withheld: readonly JsonObject[] }
export type ToolsAnswer = { readonly tools: readonly ToolDetails[] }
/** A key for a caller, without the key itself. */
export type ApiKey = {
  readonly id: string
  readonly caller?: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number
}
export type ApiKeys = { readonly keys: readonly ApiKey[] }
