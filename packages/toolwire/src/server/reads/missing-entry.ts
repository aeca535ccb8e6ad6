import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { RequestContext } from '../request-context.js'

type MissingEntry = { readonly code: number; readonly message: string; readonly data?: JsonObject }

/** The error for an entry that is not there. While entries may still come, it is unavailable rather than unknown. */
export function missingEntry({ app }: RequestContext, { code, message, data }: MissingEntry): RpcError {
  const { incomplete } = app.catalog.serves
  const about = data && { data }
  return incomplete ? new RpcError(codes.internalError, `${message}. ${incomplete}`, about) : new RpcError(code, message, about)
}
