// The calls that are left when a gateway ends: they have their time, and then they are told that it is over. Of a task nobody will hear
// any more, but its upstream does, and the log.
import { RpcError } from 'toolwire'
import type { RunningCalls } from '../monitoring/calls/running-calls.js'

const internalError = -32603
const usualMs = 10_000
/** How long a call may take to end that has been told to. */
const lastMs = 1_000
const lookEveryMs = 20

export async function endCalls(flights: RunningCalls, ms = usualMs): Promise<void> {
  await over(flights, ms)
  for (const { call } of flights.list()) call.context.abort(stopped())
  await over(flights, lastMs)
}

async function over(flights: RunningCalls, ms: number): Promise<void> {
  const end = performance.now() + ms
  while (flights.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
}

const stopped = (): RpcError =>
  new RpcError(internalError, 'outcome_unknown: the gateway was stopped before the call was over, which may have done its work')
