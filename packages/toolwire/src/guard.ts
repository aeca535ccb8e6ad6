export { unknownTool } from './policy/access.js'
export { type Always, type ApprovalAnswer, type ApprovalRequest, type Approver, readAnswer } from './policy/approval.js'
export type { Added, ApprovalState, ApprovalStore, AskedElsewhere, Found, Settled } from './policy/approvals/approval-store.js'
export { approvalsHere } from './policy/approvals/approvals-here.js'
export { type ElsewhereOptions, elsewhere } from './policy/approvals/elsewhere.js'
export { theCaller } from './policy/approvals/the-caller.js'
export { type ApproveOptions, approve } from './policy/approve.js'
export { type AuditLog, type AuditSink, auditLog } from './policy/audit/chain.js'
export { type AuditEntry, type AuditHead, auditLine } from './policy/audit/entry.js'
export { type AuditHere, auditHere } from './policy/audit/here.js'
export { auditTo } from './policy/audit/stream.js'
export { type AuditFault, type AuditVerdict, type VerifyOptions, verifyAudit } from './policy/audit/verify.js'
export { type Auditing, type AuditOptions, audit } from './policy/audit.js'
export type { AuditRecord, Intent, Outcome } from './policy/audit-record.js'
export { type ConcurrencyOptions, concurrency } from './policy/concurrency.js'
export { definitionHash } from './policy/definition-hash.js'
export type { DefinitionChange, Drift } from './policy/drift.js'
export { type FallbackOptions, orLocal } from './policy/fallback-limits.js'
export { type Grant, type Grants, grantsHere } from './policy/grants.js'
export { type GuardOptions, guard } from './policy/guard.js'
export { type LimitStore, limitsHere } from './policy/limit-store.js'
export { type Pinning, type PinOptions, pin } from './policy/pin.js'
export { type Pin, type PinStore, pinsHere } from './policy/pin-store.js'
export type { Next, Policy } from './policy/policy.js'
export { type RateLimitOptions, rateLimit } from './policy/rate-limit.js'
export type { Redacted, RedactedArguments, Redactor } from './policy/redaction.js'
export { findingsOf } from './policy/sanitize/findings-of.js'
export { hideSecrets, withoutSecrets } from './policy/sanitize/hide-secrets.js'
export type { SecretKind } from './policy/sanitize/own-secrets.js'
export {
  type Action,
  type PassageRule,
  type RuleName,
  type Rules,
  type SanitizeFinding,
  type Sizes,
  sanitizeActions,
  sanitizeRules,
} from './policy/sanitize/rules.js'
export { type SanitizeOptions, type Sanitizing, sanitize } from './policy/sanitize.js'
export { type Advice, type AdviceKind, type OtherTool, type ScanAbout, scan } from './policy/scan.js'
export { claimsOf, effectiveHints } from './tools/hints.js'
export { restful } from './tools/restful.js'
