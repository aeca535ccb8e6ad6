import { withDeadline } from '../../bounds/deadline.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { Refusal } from '../../tools/refusal.js'
import type { HandlerContext } from '../calls/handler-context.js'
import { handlerError } from '../calls/handler-error.js'

export async function readWithTimeout<T>(ms = 60_000, context: HandlerContext, run: () => Promise<T>): Promise<T> {
  try {
    return await withDeadline(ms, run(), () => {
      const late = `Not finished within ${ms} ms`
      context.abort(new Refusal('timed-out', late))
      throw new RpcError(codes.internalError, late)
    })
  } catch (thrown) {
    throw handlerError(thrown)
  }
}
