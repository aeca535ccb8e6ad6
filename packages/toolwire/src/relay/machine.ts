// `machine` of toolwire/relay.
export { openPage } from '../client/oauth/authorize/open-page.js'
export { NotRegular, openRegular, readRegular } from '../json/regular-file.js'
