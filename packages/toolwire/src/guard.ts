export { yieldWhenBusy } from './bounds/yield-when-busy.js'
export { unknownTool } from './policy/access/index.js'
export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  readApprovalAnswer,
  type StandingApproval,
} from './policy/approve/approval.js'
export { type ApprovalQueueOptions, approvalQueue } from './policy/approve/approval-queue.js'
export { askCaller } from './policy/approve/ask-caller.js'
export { type Grant, type GrantStore, memoryGrants } from './policy/approve/grants.js'
export { type ApproveOptions, approve } from './policy/approve/index.js'
export { memoryApprovals } from './policy/approve/memory-store.js'
export type {
  ApprovalAdded,
  ApprovalState,
  ApprovalStore,
  PendingApproval,
  SettledApproval,
  StoredApproval,
} from './policy/approve/store.js'
export { type AuditEntry, type AuditHead, auditLine } from './policy/audit/entry.js'
export { type AuditOptions, type AuditPolicy, audit } from './policy/audit/index.js'
export { type AuditLog, type AuditSink, auditLog } from './policy/audit/log.js'
export { type MemoryAuditLog, memoryAudit } from './policy/audit/memory-log.js'
export type { AuditIntent, AuditOutcome, AuditRecord } from './policy/audit/record.js'
export type { Redacted, RedactedArguments, Redactor } from './policy/audit/redaction.js'
export { auditTo } from './policy/audit/stream-log.js'
export { type AuditFault, type AuditVerdict, type VerifyOptions, verifyAudit } from './policy/audit/verify.js'
export { type ConcurrencyOptions, concurrency } from './policy/concurrency/index.js'
export { type GuardOptions, guard } from './policy/guard.js'
export { definitionHash } from './policy/hash/definition-hash.js'
export type { DefinitionChange, Drift } from './policy/pin/drift.js'
export { type PinOptions, type PinPolicy, pin } from './policy/pin/index.js'
export { memoryPins, type Pin, type PinStore } from './policy/pin/store.js'
export type { Next, Policy } from './policy/policy.js'
export { type FallbackOptions, withLocalFallback } from './policy/rate-limit/fallback.js'
export { type RateLimitOptions, rateLimit } from './policy/rate-limit/index.js'
export { type LimitStore, memoryLimits } from './policy/rate-limit/store.js'
export type { SecretKind } from './policy/sanitize/custom-secrets.js'
export { findingsOf } from './policy/sanitize/findings-of.js'
export { hideSecrets, withoutSecrets } from './policy/sanitize/hide-secrets.js'
export { type SanitizeOptions, type SanitizePolicy, sanitize } from './policy/sanitize/index.js'
export {
  type PassageRule,
  type SanitizeAction,
  type SanitizeFinding,
  type SanitizeRule,
  type SanitizeRules,
  type SanitizeSizes,
  sanitizeActions,
  sanitizeRules,
} from './policy/sanitize/sanitize-rules.js'
export { type Advice, type AdviceKind, type OtherTool, type ScanContext, scan } from './policy/scan/index.js'
export { claimsOf, effectiveHints } from './tools/hints.js'
