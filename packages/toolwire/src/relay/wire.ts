// `wire` of toolwire/relay.
export { EventDecoder } from '../jsonrpc/event-decoder.js'
export { serveLines } from '../transports/stdio/server/serve-lines.js'
