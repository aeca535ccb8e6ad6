export { type EventStore, MemoryEvents, type StoredEvent } from './transports/http/event-store.js'
export { type Listening, type ListenOptions, listen } from './transports/http/listen.js'
export { nodeHandler } from './transports/http/node.js'
export type { Arrival, Authenticate, Denial, HttpLimits, HttpOptions, ResourceOptions } from './transports/http/options.js'
