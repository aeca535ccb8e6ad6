import type { JsonObject } from '../../json.js'
import type { CallOptions } from '../client.js'
import type { SendOptions } from '../connection/session.js'
import type { RequestScope } from '../questions/request-scopes.js'
import type { KnownTool } from './known-tool.js'
import { paramHeadersOf } from './param-headers.js'

/** Built member by member, because spreading takes several times as long. */
export type CallRequest = Omit<SendOptions, 'repeatable' | 'mirrored' | 'sessionNumber'> &
  Pick<CallOptions, 'onTask' | 'asTask' | 'paramHeaders' | 'beforeSend'> & {
    repeatable: boolean | undefined
    mirrored: readonly string[] | undefined
    sessionNumber: number | undefined
  }

export const callRequest = (options: CallOptions, scope: RequestScope | undefined): CallRequest => ({
  signal: options.signal,
  idleMs: options.idleMs,
  totalMs: options.totalMs,
  onProgress: options.onProgress,
  meta: options.meta,
  onTask: options.onTask,
  asTask: options.asTask,
  paramHeaders: options.paramHeaders,
  beforeSend: options.beforeSend,
  scope,
  sessionNumber: undefined,
  began: undefined,
  repeatable: undefined,
  mirrored: undefined,
})

export function bindToTool(tool: KnownTool | undefined, args: JsonObject, order: CallRequest): CallRequest {
  order.repeatable = tool !== undefined && (tool.hints.readOnly || tool.hints.idempotent)
  order.mirrored = paramHeadersOf(tool, args, order.paramHeaders)
  return order
}
