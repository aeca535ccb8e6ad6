// Pending approvals for a store, without a call.
export { asked } from '../../../toolwire/test/policy/approve/pending-approval.js'
