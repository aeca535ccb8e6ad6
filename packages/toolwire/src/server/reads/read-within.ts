import { codes, RpcError } from '../../jsonrpc/error.js'
import { Refusal } from '../../tools/refusal.js'
import type { HandlerContext } from '../calls/handler-context.js'
import { handlerError } from '../calls/handler-error.js'

/** Runs what is no tool, a reading or a prompt, against the clock. */
export async function readWithTimeout<T>(ms = 60_000, context: HandlerContext, run: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      context.abort(new Refusal('timed-out', `Not finished within ${ms} ms`))
      reject(new RpcError(codes.internalError, `Not finished within ${ms} ms`))
    }, ms)
  })
  try {
    return await Promise.race([run(), timeUp])
  } catch (thrown) {
    throw handlerError(thrown)
  } finally {
    clearTimeout(timer)
  }
}
