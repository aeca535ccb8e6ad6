export type { Json, JsonObject } from '../json.js'
export { RpcError } from '../jsonrpc/error.js'
export { type Challenge, type Credentials, type Endpoint, TransportError } from '../peer/link.js'
export type { ApprovalAnswer, ApprovalRelease, ApprovalRequest, Approver, StandingApproval } from '../policy/approval.js'
export type {
  ApprovalAdded,
  ApprovalState,
  ApprovalStore,
  PendingApproval,
  SettledApproval,
  StoredApproval,
} from '../policy/approvals/approval-store.js'
export { memoryApprovals } from '../policy/approvals/approvals-here.js'
export { type ApprovalQueueOptions, approvalQueue } from '../policy/approvals/elsewhere.js'
export { askCaller } from '../policy/approvals/the-caller.js'
export { type ApproveOptions, approve } from '../policy/approve.js'
export { type AuditOptions, type AuditPolicy, audit } from '../policy/audit.js'
export type { AuditIntent, AuditOutcome, AuditRecord } from '../policy/audit-record.js'
export { type ConcurrencyOptions, concurrency } from '../policy/concurrency.js'
export { definitionHash } from '../policy/definition-hash.js'
export type { DefinitionChange, Drift } from '../policy/drift.js'
export { type Grant, type GrantStore, memoryGrants } from '../policy/grants.js'
export { type LimitStore, memoryLimits } from '../policy/limit-store.js'
export { type PinOptions, type PinPolicy, type PinScanOptions, pin } from '../policy/pin.js'
export { memoryPins, type Pin, type PinStore } from '../policy/pin-store.js'
export type { Next, Policy } from '../policy/policy.js'
export { type RateLimitOptions, rateLimit } from '../policy/rate-limit.js'
export type { Redacted, RedactedArguments, Redactor } from '../policy/redaction.js'
export { findingsOf } from '../policy/sanitize/findings-of.js'
export type { SecretKind } from '../policy/sanitize/own-secrets.js'
export type {
  PassageRule,
  SanitizeAction,
  SanitizeFinding,
  SanitizeRule,
  SanitizeRules,
  SanitizeSizes,
} from '../policy/sanitize/rules.js'
export { type SanitizeOptions, type SanitizePolicy, sanitize } from '../policy/sanitize.js'
export { type Advice, type AdviceKind, type OtherTool, type ScanContext, scan } from '../policy/scan.js'
export { Declined } from '../tools/ask.js'
export { type CallResult, type Calls, ToolCallError } from '../tools/calls.js'
export type { Icon } from '../tools/content.js'
export { type Reason, Refusal } from '../tools/refusal.js'
export { CancelSource, type CancelToken } from '../tools/stop-signal.js'
export type { Hints, ToolCall } from '../tools/tool.js'
export { visible, visibleLine } from '../tools/visible.js'
export type { Command } from '../transports/child/way.js'
export type {
  Answering,
  AnswerKinds,
  Asked,
  CallHandlers,
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
export { MisdirectedQuestion } from './scopes.js'
export { memoryRevisions, type NegotiatedRevision, type RevisionStore } from './verdicts.js'
export type { ServerEntry, Target } from './ways.js'
