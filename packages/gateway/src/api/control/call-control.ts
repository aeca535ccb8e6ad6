import { type JsonObject, RpcError } from 'toolwire'
import type { Progress } from 'toolwire/client'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { RunningCall } from '../../monitoring/calls/running-calls.js'
import type { ShownArguments } from '../../monitoring/calls/shown-arguments.js'

/** A call that is under way. */
export type CallView = {
  readonly id: number
  readonly tool: string
  readonly server: string
  /** Id of the caller. */
  readonly caller: string
  /** Nobody has verified it: it has shown nothing, and seems to be on this machine. */
  readonly unverified?: true
  /** The set through which it came. */
  readonly set?: string
  /** Without what the rules call a secret, and no more than 4 KiB of them. */
  readonly arguments: JsonObject
  /** There is more of them. */
  readonly cut?: true
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly progress?: Progress
  /** Id of the approval that it waits for. */
  readonly waiting?: string
}

export function callViewOf(
  { id, call, server, at, progress, waiting }: RunningCall,
  set: string | undefined,
  shown: ShownArguments,
): CallView {
  const unverified = call.caller.anonymous ? (true as const) : undefined
  return {
    ...withoutUndefined({ id, tool: call.tool.name, server, caller: call.caller.id, unverified, set }),
    ...(shown(call) as Pick<CallView, 'arguments' | 'cut'>), // as `cut` gives them
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
