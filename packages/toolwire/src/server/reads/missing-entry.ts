import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { Refusal } from '../../tools/refusal.js'
import type { RequestContext } from '../request-context.js'

type MissingEntry = {
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
  /** There is such an entry, but not for this caller. Only the audit log tells. */
  readonly isHidden?: boolean
}

/** The error for an entry that is not there. While entries may still come, it is unavailable rather than unknown. */
export function missingEntry({ app }: RequestContext, { code, message, data, isHidden }: MissingEntry): RpcError {
  const { incomplete } = app.catalog.serves
  const cause = isHidden ? new Refusal('forbidden', 'The caller may not use this entry') : undefined
  const about = { data, cause }
  return incomplete ? new RpcError(codes.internalError, `${message}. ${incomplete}`, about) : new RpcError(code, message, about)
}
