export { CancelSource, type CancelToken } from '../bounds/cancel-token.js'
export type { Json, JsonObject } from '../json.js'
export { RpcError } from '../jsonrpc/error.js'
export { EventDecoder } from '../jsonrpc/event-decoder.js'
export { type Challenge, type Credentials, type Endpoint, TransportError } from '../peer/client-transport.js'
export type { ApprovalAnswer, ApprovalRelease, ApprovalRequest, Approver, StandingApproval } from '../policy/approve/approval.js'
export { type ApprovalQueueOptions, approvalQueue } from '../policy/approve/approval-queue.js'
export { askCaller } from '../policy/approve/ask-caller.js'
export { type Grant, type GrantStore, memoryGrants } from '../policy/approve/grants.js'
export { type ApproveOptions, approve } from '../policy/approve/index.js'
export { memoryApprovals } from '../policy/approve/memory-store.js'
export type {
  ApprovalAdded,
  ApprovalState,
  ApprovalStore,
  PendingApproval,
  SettledApproval,
  StoredApproval,
} from '../policy/approve/store.js'
export { type AuditOptions, type AuditPolicy, audit } from '../policy/audit/index.js'
export type { AuditIntent, AuditOutcome, AuditRecord } from '../policy/audit/record.js'
export type { Redacted, RedactedArguments, Redactor } from '../policy/audit/redaction.js'
export { type ConcurrencyOptions, concurrency } from '../policy/concurrency/index.js'
export { definitionHash } from '../policy/hash/definition-hash.js'
export type { DefinitionChange, Drift } from '../policy/pin/drift.js'
export { type PinOptions, type PinPolicy, type PinScanOptions, pin } from '../policy/pin/index.js'
export { memoryPins, type Pin, type PinStore } from '../policy/pin/store.js'
export type { Next, Policy } from '../policy/policy.js'
export { type RateLimitOptions, rateLimit } from '../policy/rate-limit/index.js'
export { type LimitStore, memoryLimits } from '../policy/rate-limit/store.js'
export type { SecretKind } from '../policy/sanitize/custom-secrets.js'
export { findingsOf } from '../policy/sanitize/findings-of.js'
export { type SanitizeOptions, type SanitizePolicy, sanitize } from '../policy/sanitize/index.js'
export type {
  PassageRule,
  SanitizeAction,
  SanitizeFinding,
  SanitizeRule,
  SanitizeRules,
  SanitizeSizes,
} from '../policy/sanitize/sanitize-rules.js'
export { type Advice, type AdviceKind, type OtherTool, type ScanContext, scan } from '../policy/scan/index.js'
export { visible, visibleLine } from '../text/visible.js'
export { Declined } from '../tools/ask.js'
export { type CallResult, type Calls, ToolCallError } from '../tools/call-result.js'
export type { Icon } from '../tools/content.js'
export { type Reason, Refusal } from '../tools/refusal.js'
export type { Hints, ToolCall } from '../tools/tool.js'
export type { Command } from '../transports/stdio/client/child/child-endpoint.js'
export type { RemoteTool } from './calls/remote-tool.js'
export { ResourceMissing } from './calls/resource-missing.js'
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
export { memoryRevisions, type NegotiatedRevision, type RevisionStore } from './connection/revision-store.js'
export { CallFailure, type CallFailureCode, InvalidArguments, InvalidResult } from './errors.js'
export { type FetchIconOptions, fetchIcon, type IconImage } from './icons/fetch-icon.js'
export type { ClientLimits, ConnectOptions, SessionEvent } from './options.js'
export { type Pool, type PoolEntry, type PooledTool, type PoolOptions, pool } from './pool.js'
export { MisdirectedQuestion } from './questions/request-scopes.js'
export type { ServerEntry, Target } from './target.js'
