// `machine` of toolwire/relay.
export { openPage } from '../client/oauth/authorize/open-page.js'
export { NotRegular, openRegular, readRegular } from '../json/regular-file.js'
export { spawnServer } from '../transports/stdio/client/child/child-endpoint.js'
