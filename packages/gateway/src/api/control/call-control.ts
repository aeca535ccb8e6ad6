import { type JsonObject, RpcError } from 'toolwire'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { RunningCall } from '../../monitoring/calls/running-calls.js'
import type { ShownArguments } from '../../monitoring/calls/shown-arguments.js'

/** A call that is under way; `unverified` where its caller has shown nothing, and seems to be on this machine. */
export type CallView = ReturnType<typeof callViewOf>

/** Without what the rules call a secret, and no more than 4 KiB of them: `cut` where there is more. */
type ShownCall = { readonly arguments: JsonObject; readonly cut?: true }

export function callViewOf(
  { id, call, server, at, progress, waiting }: RunningCall,
  set: string | undefined,
  shown: ShownArguments,
) {
  const unverified = call.caller.anonymous ? (true as const) : undefined
  return {
    ...withoutUndefined({ id, tool: call.tool.name, server, caller: call.caller.id, unverified, set }),
    ...(shown(call) as ShownCall), // as `cut` gives them
    ...withoutUndefined({ startedAt: at, progress, waiting }),
  }
}

/** Beyond what the protocol keeps for itself. */
const cancelledCode = -31_001

/** Ends a call: the caller gets an error, and the upstream a cancellation. */
export function cancelCall(runningCall: RunningCall | undefined, by: string): void {
  if (!runningCall || runningCall.cancelledBy !== undefined) return
  runningCall.cancelledBy = by
  runningCall.call.context.abort(new RpcError(cancelledCode, 'The call was cancelled by an operator of this gateway'))
}
