// What can be seen and done from outside, whoever does it: the management API is a way to these and nothing more.
import type { Caller, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Advice, AuditHead, AuditLog, Drift, Pin } from 'toolwire/guard'
import type { Answering } from 'toolwire/relay'
import type { Approvals } from '../../approvals/approval-views.js'
import type { ApprovalDecisions } from '../../approvals/decide-approvals.js'
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
import type { CallView } from './call-view.js'

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

/** A definition of a tool, at its server. */
export type DefinitionRef = {
  readonly server: string
  readonly tool: string
  readonly hash: string
  /** Which server is meant: needed where it is another one than was accepted under this name. */
  readonly serverIdentity?: string
}

/** A definition that is not the accepted one; `serverChange` says in words that its server is another one. */
export type HeldBackDefinition = Drift & { readonly serverChange?: string }

/** What a scan found in definitions of one server: once, with all the tools that it was found in. */
export type ScanFinding = Advice & {
  readonly server: string
  readonly tools: readonly string[]
}

/** Definitions that were accepted, that wait to be, and that wait no longer though nobody has accepted them. */
export type PinsView = {
  readonly accepted: readonly (Pin & { readonly by?: string })[]
  readonly waiting: readonly HeldBackDefinition[]
  /** What a scan says of those that wait; `path` and `excerpt` are those of the first. */
  readonly findings: readonly ScanFinding[]
  readonly refused: readonly (HeldBackDefinition & { readonly refusedAt: number; readonly by: string })[]
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
  /** Puts an end to a call: whoever made it hears an error. */
  cancel(id: number, by: string): void
  /** Calls that are under way. */
  underWay(): number
}
