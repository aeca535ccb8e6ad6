import { RpcError } from 'toolwire'
import { setOf } from '../../catalog/aggregate-servers.js'
import type { RunningCall } from '../../monitoring/calls/running-calls.js'
import type { shownArguments } from '../../monitoring/calls/shown-arguments.js'
import type { CallView } from './call-view.js'

export function callViewOf({ id, call, server, at, progress, waiting }: RunningCall, shown: typeof shownArguments): CallView {
  const set = setOf(call.tool)
  return {
    id,
    tool: call.tool.name,
    server,
    caller: call.caller.id,
    ...(call.caller.anonymous && { unverified: true }),
    ...(set !== undefined && { set }),
    ...(shown(call) as Pick<CallView, 'arguments' | 'cut'>), // as `cut` gives them
    startedAt: at,
    ...(progress && { progress }),
    ...(waiting !== undefined && { waiting }),
  }
}

/** Beyond what the protocol keeps for itself. */
const cancelledCode = -31_001

/** Ends a call: the caller gets an error, and the upstream a cancellation. */
export function cancelCall(flight: RunningCall | undefined, by: string): void {
  if (!flight || flight.cancelledBy !== undefined) return
  flight.cancelledBy = by
  flight.call.context.abort(new RpcError(cancelledCode, 'The call was cancelled by an operator of this gateway'))
}
