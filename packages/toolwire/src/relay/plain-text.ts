// `plainText` of toolwire/relay.
export { comparableName, foldText } from '../text/folded-text.js'
export { withoutTerminalSequences } from '../text/hidden/terminal-sequences.js'
export { nearest } from '../text/nearest.js'
export { normalized } from '../text/normalized.js'
export { visible, visibleLine } from '../text/visible.js'
