import type { JsonObject } from '../../json.js'
import type { CallOptions } from '../client.js'
import type { SendOptions } from '../connection/session.js'
import type { RequestScope } from '../questions/request-scopes.js'
import type { KnownTool } from './known-tool.js'
import { paramHeadersOf } from './param-headers.js'

/** A call as its caller wants it, and what is found out about it. Member by member: spreading takes several times as long. */
export class CallRequest implements SendOptions {
  readonly signal: CallOptions['signal']
  readonly idleMs: CallOptions['idleMs']
  readonly totalMs: CallOptions['totalMs']
  readonly onProgress: CallOptions['onProgress']
  readonly meta: CallOptions['meta']
  readonly onTask: CallOptions['onTask']
  readonly asTask: CallOptions['asTask']
  readonly paramHeaders: CallOptions['paramHeaders']
  /** Who attends to it. */
  readonly scope: RequestScope | undefined
  /** The session in which it has been checked, where it may be made in that one alone. */
  readonly sessionNumber: number | undefined = undefined
  readonly began: SendOptions['began'] = undefined
  repeatable: boolean | undefined = undefined
  mirrored: readonly string[] | undefined = undefined

  constructor(options: CallOptions, scope: RequestScope | undefined) {
    this.signal = options.signal
    this.idleMs = options.idleMs
    this.totalMs = options.totalMs
    this.onProgress = options.onProgress
    this.meta = options.meta
    this.onTask = options.onTask
    this.asTask = options.asTask
    this.paramHeaders = options.paramHeaders
    this.scope = scope
  }
}

/** The same order, made known to be for this tool. */
export function bindToTool(tool: KnownTool | undefined, args: JsonObject, order: CallRequest): CallRequest {
  order.repeatable = tool !== undefined && (tool.hints.readOnly || tool.hints.idempotent)
  order.mirrored = paramHeadersOf(tool, args, order.paramHeaders)
  return order
}
