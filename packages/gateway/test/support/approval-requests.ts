// Requests as they wait in a store, without a call around them.
export { asked } from '../../../toolwire/test/policy/approve/pending-approval.js'
