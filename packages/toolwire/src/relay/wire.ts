// `wire` of toolwire/relay.
export { EventDecoder } from '../jsonrpc/event-decoder.js'
export { isWithin } from '../tools/uris/is-within.js'
export { BodyBuffer } from '../transports/http/body-buffer.js'
export { destroyResponse } from '../transports/http/server/node/pipelined-responses.js'
export { defaultHttpLimits } from '../transports/http/server/options.js'
export { stallCheck } from '../transports/http/server/streams/stall-check.js'
export { serveLines } from '../transports/stdio/server/serve-lines.js'
