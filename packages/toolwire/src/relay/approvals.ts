// `approvals` of toolwire/relay.
export { type ApprovalRelease, displayOf, readApprovalAnswer, type StandingApproval } from '../policy/approve/approval.js'
export type { SettledApproval, StoredApproval } from '../policy/approve/store.js'
export { type ConditionalLog, chainedLog } from '../policy/audit/log.js'
