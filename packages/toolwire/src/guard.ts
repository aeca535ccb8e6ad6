export { unknownTool } from './policy/access.js'
export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  readApprovalAnswer,
  type StandingApproval,
} from './policy/approval.js'
export type {
  ApprovalAdded,
  ApprovalState,
  ApprovalStore,
  PendingApproval,
  SettledApproval,
  StoredApproval,
} from './policy/approvals/approval-store.js'
export { memoryApprovals } from './policy/approvals/approvals-here.js'
export { type ApprovalQueueOptions, approvalQueue } from './policy/approvals/elsewhere.js'
export { askCaller } from './policy/approvals/the-caller.js'
export { type ApproveOptions, approve } from './policy/approve.js'
export { type AuditLog, type AuditSink, auditLog } from './policy/audit/chain.js'
export { type AuditEntry, type AuditHead, auditLine } from './policy/audit/entry.js'
export { type MemoryAuditLog, memoryAudit } from './policy/audit/here.js'
export { auditTo } from './policy/audit/stream.js'
export { type AuditFault, type AuditVerdict, type VerifyOptions, verifyAudit } from './policy/audit/verify.js'
export { type AuditOptions, type AuditPolicy, audit } from './policy/audit.js'
export type { AuditIntent, AuditOutcome, AuditRecord } from './policy/audit-record.js'
export { type ConcurrencyOptions, concurrency } from './policy/concurrency.js'
export { definitionHash } from './policy/definition-hash.js'
export type { DefinitionChange, Drift } from './policy/drift.js'
export { type FallbackOptions, withLocalFallback } from './policy/fallback-limits.js'
export { type Grant, type GrantStore, memoryGrants } from './policy/grants.js'
export { type GuardOptions, guard } from './policy/guard.js'
export { type LimitStore, memoryLimits } from './policy/limit-store.js'
export { type PinOptions, type PinPolicy, pin } from './policy/pin.js'
export { memoryPins, type Pin, type PinStore } from './policy/pin-store.js'
export type { Next, Policy } from './policy/policy.js'
export { type RateLimitOptions, rateLimit } from './policy/rate-limit.js'
export type { Redacted, RedactedArguments, Redactor } from './policy/redaction.js'
export { findingsOf } from './policy/sanitize/findings-of.js'
export { hideSecrets, withoutSecrets } from './policy/sanitize/hide-secrets.js'
export type { SecretKind } from './policy/sanitize/own-secrets.js'
export {
  type PassageRule,
  type SanitizeAction,
  type SanitizeFinding,
  type SanitizeRule,
  type SanitizeRules,
  type SanitizeSizes,
  sanitizeActions,
  sanitizeRules,
} from './policy/sanitize/rules.js'
export { type SanitizeOptions, type SanitizePolicy, sanitize } from './policy/sanitize.js'
export { type Advice, type AdviceKind, type OtherTool, type ScanContext, scan } from './policy/scan.js'
export { claimsOf, effectiveHints } from './tools/hints.js'
export { yieldWhenBusy } from './tools/restful.js'
