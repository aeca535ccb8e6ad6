export type { Json, JsonObject } from '../json.js'
export { RpcError } from '../jsonrpc/error.js'
export { type Challenge, type Credentials, LinkError, type Way } from '../peer/link.js'
export type { Always, ApprovalAnswer, ApprovalRequest, Approver, Release } from '../policy/approval.js'
export type { Added, ApprovalState, ApprovalStore, AskedElsewhere, Found, Settled } from '../policy/approvals/approval-store.js'
export { approvalsHere } from '../policy/approvals/approvals-here.js'
export { type ElsewhereOptions, elsewhere } from '../policy/approvals/elsewhere.js'
export { theCaller } from '../policy/approvals/the-caller.js'
export { type ApproveOptions, approve } from '../policy/approve.js'
export { type Auditing, type AuditOptions, audit } from '../policy/audit.js'
export type { AuditRecord, Intent, Outcome } from '../policy/audit-record.js'
export { type ConcurrencyOptions, concurrency } from '../policy/concurrency.js'
export { definitionHash } from '../policy/definition-hash.js'
export type { DefinitionChange, Drift } from '../policy/drift.js'
export { type Grant, type Grants, grantsHere } from '../policy/grants.js'
export { type LimitStore, limitsHere } from '../policy/limit-store.js'
export { type Pinning, type PinOptions, pin, type ScanOptions } from '../policy/pin.js'
export { type Pin, type PinStore, pinsHere } from '../policy/pin-store.js'
export type { Next, Policy } from '../policy/policy.js'
export { type RateLimitOptions, rateLimit } from '../policy/rate-limit.js'
export type { Redacted, RedactedArguments, Redactor } from '../policy/redaction.js'
export { findingsOf } from '../policy/sanitize/findings-of.js'
export type { SecretKind } from '../policy/sanitize/own-secrets.js'
export type { Action, PassageRule, RuleName, Rules, SanitizeFinding, Sizes } from '../policy/sanitize/rules.js'
export { type SanitizeOptions, type Sanitizing, sanitize } from '../policy/sanitize.js'
export { type Advice, type AdviceKind, type OtherTool, type ScanAbout, scan } from '../policy/scan.js'
export { Declined } from '../tools/ask.js'
export { type CallResult, type Calls, ToolCallError } from '../tools/calls.js'
export type { Icon } from '../tools/content.js'
export { type Reason, Refusal } from '../tools/refusal.js'
export { Stopper, type StopSignal } from '../tools/stop-signal.js'
export type { Hints, ToolCall } from '../tools/tool.js'
export { visible, visibleLine } from '../tools/visible.js'
export type { Command } from '../transports/child/way.js'
export type {
  Answering,
  Asked,
  Asks,
  Attendance,
  CallOptions,
  Change,
  Client,
  Completion,
  CompletionRef,
  FormAnswer,
  FormAsked,
  ListOptions,
  LogEntry,
  ModelAsked,
  PageAnswer,
  PageAsked,
  Progress,
  RequestOptions,
  ServerAbout,
  ToolsOf,
} from './client.js'
export { connect } from './connect.js'
export { CallFailure, type CallFailureCode, InvalidArguments, InvalidResult } from './errors.js'
export { ResourceMissing } from './found.js'
export { type FetchIconOptions, fetchIcon, type IconImage } from './icons/fetch-icon.js'
export type { ClientLimits, ConnectOptions, SessionEvent } from './options.js'
export { type Pool, type PoolEntry, type PooledTool, type PoolOptions, pool } from './pool.js'
export type { RemoteTool } from './remote-tool.js'
export { NotForThis } from './scopes.js'
export { type Verdict, type Verdicts, verdictsHere } from './verdicts.js'
export type { ServerEntry, Target } from './ways.js'
