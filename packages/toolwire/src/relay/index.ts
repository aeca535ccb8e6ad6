// toolwire/relay: parts that a gateway needs besides a server and a client, and other programs do not.
export { yieldWhenBusy } from '../bounds/yield-when-busy.js'
export type { Answering } from '../client/client.js'
export { JsonError, parseJson } from '../json.js'
export { unknownTool } from '../policy/access/index.js'
export { relay } from '../tools/relayed-tool.js'
export { Suspension } from '../tools/suspension.js'
export type { AnyTool, ListedTool } from '../tools/tool.js'
export { strictServer } from '../transports/http/server/node/strict-server.js'
/** Reads, stores, settles and records the answers to requests for approval. */
export * as approvals from './approvals.js'
/** Limits the size of maps, and ends waits early. */
export * as bounds from './bounds.js'
/** Opens files and pages of this machine. */
export * as machine from './machine.js'
/** Shows untrusted text on a terminal or in a log, normalizes it, and finds the name nearest to a misspelt one. */
export * as plainText from './plain-text.js'
/** Connects a rulebook to tools that other servers list. */
export * as ruleParts from './rule-parts.js'
/** Lists the rules and actions of `sanitize`, and applies parts of them. */
export * as sanitizing from './sanitizing.js'
/** Lists the known keys of a schema, lowers schemas to what every model takes, and handles JSON pointers. */
export * as schemas from './schemas.js'
/** Names the types of members and options that a gateway passes on. */
export type * as types from './types.js'
/** Reads server-sent events, finds clients that do not read their stream, serves messages that arrive as lines, waits for slow responses, ends responses, and finds the watched resource that an update is about. */
export * as wire from './wire.js'
