// The operations of the gateway that the management API exposes.
import type { Caller, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { AuditHead, AuditLog } from 'toolwire/guard'
import type { Answering } from 'toolwire/relay'
import type { Approvals } from '../../approvals/approval-queue.js'
import type { ApprovalDecisions } from '../../approvals/decide-approvals.js'
import type { DefinitionRef, PinsView } from '../../guard/pins/pin-views.js'
import type { PolicyEditor } from '../../guard/policy/policy-editor.js'
import type { ToolDetails, ToolState, ToolView } from '../../guard/tools/tool-view.js'
import type { EventFeed } from '../../monitoring/event-feed.js'
import type { Metrics } from '../../monitoring/metrics.js'
import type { CallStats } from '../../monitoring/stats/stats.js'
import type { RecordedAction } from '../../store/audit/record-action.js'
import type { Store } from '../../store/store.js'
import type { ServerLogins } from '../../upstreams/logins/logins.js'
import type { UpstreamStatus } from '../../upstreams/upstream-status.js'
import type { ToolTrials } from '../tool-trials.js'
import type { CallView } from './call-control.js'

/** How the gateway is doing as a whole: `failing` refuses calls, `degraded` makes those that it can. */
export type GatewayHealth = {
  readonly status: 'ok' | 'degraded' | 'failing' | 'draining'
  /** What is wrong, each in a sentence for the operator. */
  readonly troubles: readonly string[]
  readonly upstreams: { readonly [id: string]: string }
  readonly audit: { readonly on: boolean; readonly ok: boolean }
}

/** The same with what goes on, and the config. */
export type StatusView = GatewayHealth & {
  readonly version: string
  readonly callsUnderWay: number
  readonly approvalsPending: number
  /** The end of the log. */
  readonly auditHead: AuditHead | undefined
  /** Without its secrets. */
  readonly config: JsonObject
}

/** One upstream as it is now. */
export type ServerView = UpstreamStatus & {
  readonly id: string
  readonly target: JsonObject
  readonly trusted: boolean
  readonly tools: number
  /** Why its tools are offered to nobody. */
  readonly heldBack?: string
  /** Who has logged in, where people do. */
  readonly login?: ServerLogins
}

export type CallRequest = {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** What the tool asks on the way; declined where nobody answers. */
  readonly answers?: Answering
  /** Told the id of the call; of each of them, where questions are answered with another one. */
  readonly onBegun?: (call: number) => void
}

export type Control = {
  readonly version: string
  readonly store: Store
  /** Where calls are recorded, unless that is switched off. */
  readonly log: AuditLog | undefined
  /** Records a request that was turned away, and of many how many there were. */
  refused(one: RecordedAction): void
  readonly events: EventFeed
  readonly metrics: Metrics
  readonly decisions: ApprovalDecisions
  health(): GatewayHealth
  /** Everything in the config but its secrets. */
  config(): JsonObject
  servers(): readonly ServerView[]
  /** False when there is no such upstream. */
  restart(id: string): Promise<boolean>
  tools(): readonly ToolView[]
  /** The same with all that is known about who may call them. */
  toolDetails(): Promise<readonly ToolDetails[]>
  setToolState(name: string, state: ToolState, by: string): Promise<void>
  /** What the upstreams have and nobody is offered. */
  withheld(): readonly JsonObject[]
  /** Makes a call as that caller would, with everything that stands around calls. */
  call(name: string, args: JsonObject, calling: CallRequest): Promise<JsonObject>
  pins(): Promise<PinsView>
  /** Whether this definition waits, and nobody has refused it. */
  waits(definition: DefinitionRef): boolean
  accept(definition: DefinitionRef, by: string): Promise<void>
  /** Keeps it back, and asks nobody about it again. */
  refuse(definition: DefinitionRef, by: string): Promise<void>
  readonly policy: PolicyEditor
  readonly approvals: Approvals
  readonly stats: CallStats
  readonly tries: ToolTrials
  /** The calls that are under way, oldest first. */
  calls(): readonly CallView[]
  /** Ends a call: the caller gets an error. */
  cancel(id: number, by: string): void
  /** Calls that are under way. */
  underWay(): number
}
