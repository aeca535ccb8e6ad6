// `sanitizing` of toolwire/relay.
export { withoutSecrets } from '../policy/sanitize/hide-secrets.js'
export { type SanitizeRules, sanitizeActions, sanitizeRules } from '../policy/sanitize/sanitize-rules.js'
export { type OtherTool, scanInTurns } from '../policy/scan/index.js'
export { isSecretMember } from '../text/secrets/sensitive-names.js'
export { claimsOf } from '../tools/hints.js'
