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
  /** Our own: the server's key of a question that it sends as a request. */
  question: 'dev.toolwire/question',
  /**
   * Our own: `true` in a request asks for the place of the structured result if the revision has none for it. The result answers with
   * a `StructuredPlace`.
   */
  structured: 'dev.toolwire/structured',
} as const

/** The `_meta` of a request, a result or a notification; a value that is no object is ignored. */
export const metaOf = (holder: JsonObject | undefined): JsonObject | undefined =>
  isObject(holder?._meta) ? holder._meta : undefined

export const tasksExtension = 'io.modelcontextprotocol/tasks'
