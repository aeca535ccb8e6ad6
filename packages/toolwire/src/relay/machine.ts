// `machine` of toolwire/relay.
export { openPage, startDetached } from '../client/oauth/authorize/open-page.js'
export { NotRegular, openRegular, readRegular } from '../json/regular-file.js'
export { type FileChanges, onFileChange } from '../policy/rules/read/file-changes.js'
export { isLoopbackHost } from '../transports/http/server/access/origin-guard.js'
