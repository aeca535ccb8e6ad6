import { type JsonObject, RpcError } from 'toolwire'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { RunningCall } from '../../monitoring/calls/running-calls.js'
import type { ShownArguments } from '../../monitoring/calls/shown-arguments.js'

/** A running call; `unverified` if its caller sent no credentials, and appears to be on this machine. */
export type CallView = ReturnType<typeof callViewOf>

/** The arguments without secrets, and at most 4 KiB of them; `cut` if there are more. */
type ShownCall = { readonly arguments: JsonObject; readonly cut?: true }

export function callViewOf(
  { id, call, server, at, progress, waiting }: RunningCall,
  set: string | undefined,
  shown: ShownArguments,
) {
  const unverified = call.caller.anonymous ? (true as const) : undefined
  return {
    ...withoutUndefined({ id, tool: call.tool.name, server, caller: call.caller.id, unverified, set }),
    ...(shown(call) as ShownCall), // as `cut` returns them
    ...withoutUndefined({ startedAt: at, progress, waiting }),
  }
}

/** Outside the codes that the protocol reserves. */
const cancelledCode = -31_001

/** Ends a call: the caller gets an error, and the upstream a cancellation. Returns false if the call has ended. */
export function cancelCall(runningCall: RunningCall | undefined, by: string): boolean {
  if (!runningCall) return false
  if (runningCall.cancelledBy !== undefined) return true
  runningCall.cancelledBy = by
  runningCall.call.context.abort(new RpcError(cancelledCode, 'The call was cancelled by an operator of this gateway'))
  return true
}
