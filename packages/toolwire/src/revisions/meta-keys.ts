import { isObject, type JsonObject } from '../json.js'

/** The keys that the specification has reserved in `_meta`. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  relatedTask: 'io.modelcontextprotocol/related-task',
  /** Ours: the server's name for a question that travels as a request. */
  question: 'dev.toolwire/question',
  /** Ours: in a request, true asks where the structured result is if the revision has no place for it; the result says so as a `Shelter`. */
  structured: 'dev.toolwire/structured',
} as const

/** The `_meta` of a request, a result or a notification; a value that is no object is ignored. */
export const metaOf = (holder: JsonObject | undefined): JsonObject | undefined =>
  isObject(holder?._meta) ? holder._meta : undefined

export const tasksExtension = 'io.modelcontextprotocol/tasks'
