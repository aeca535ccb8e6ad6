// `plainText` of toolwire/relay.
export { nearest } from '../text/nearest.js'
export { visible, visibleLine } from '../text/visible.js'
