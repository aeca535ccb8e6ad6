// `machine` of toolwire/relay.
export { openPage, startDetached } from '../client/oauth/authorize/open-page.js'
export { withFileLock } from '../client/oauth/tokens/file-lock.js'
export { NotRegular, openRegular, readRegular, readRegularText } from '../json/regular-file.js'
export { type FileChanges, onFileChange } from '../policy/rules/read/file-changes.js'
export { hostFault, originFault } from '../transports/http/server/access/canonical-names.js'
export { forwardingHeaders } from '../transports/http/server/access/client-address.js'
export { isLoopbackHost } from '../transports/http/server/access/origin-guard.js'
