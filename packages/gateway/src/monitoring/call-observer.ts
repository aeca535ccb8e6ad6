// Counts every call, and reports its start, progress and end to watchers.
import { type Caller, Refusal, type ToolResult } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Policy, ToolCall } from 'toolwire/guard'
import { bounds, Suspension } from 'toolwire/relay'
import type { Store } from '../store/store.js'
import { type CallEnding, CallEvents } from './calls/call-events.js'
import { type RunningCall, RunningCalls } from './calls/running-calls.js'
import type { ShownArguments } from './calls/shown-arguments.js'
import { shownProgress } from './calls/shown-progress.js'
import type { EventFeed } from './event-feed.js'
import type { Metrics } from './metrics.js'
import { CallStats } from './stats/stats.js'

type Parts = {
  readonly events: EventFeed
  readonly metrics: Metrics
  /** Called with each call before it is handled. */
  readonly onArrival: (call: ToolCall) => void
  readonly showArguments: ShownArguments
  /** The audit log, which records calls directly behind this policy. */
  readonly log: Pick<Store['audit'], 'last'>
}

/** The outermost policy, with the calls that are running. */
export class CallObserver implements Policy {
  readonly name = 'observing'
  readonly runningCalls = new RunningCalls()
  readonly stats = new CallStats()
  readonly callers = knownCallers()
  readonly #parts: Parts
  readonly #log: Parts['log']
  readonly #news: CallEvents
  readonly #awaited = new Map<Caller, (id: number) => void>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#log = parts.log
    this.#news = new CallEvents({ events: parts.events, shown: ({ call }) => parts.showArguments(call) })
  }

  get underWay(): number {
    return this.runningCalls.size
  }

  readonly call = async (made: ToolCall, next: (call: ToolCall) => Promise<ToolResult>): Promise<ToolResult> => {
    const runningCall = this.#begin(made, performance.now())
    const before = this.#log.last
    try {
      const over = next(made)
      // Between these two lines, only the intent of this call can have been recorded.
      const recorded = this.#log.last
      if (recorded !== before) runningCall.record = recorded?.id
      const result = await over
      this.#end(runningCall, result.isError ? errorEnding(made) : succeeded)
      return result
    } catch (thrown) {
      this.#end(runningCall, endingOf(thrown, made), isLimitRefusal(thrown))
      throw thrown
    }
  }

  /** Notes the progress of a call as its upstream reports it. */
  readonly progressed = (context: object, progress: Progress): void => {
    const runningCall = this.runningCalls.of(context)
    if (!runningCall) return
    const shown = shownProgress(progress)
    runningCall.progress = shown
    this.#news.progress(runningCall, shown, performance.now())
  }

  /** Notes that the call waits for this approval, or with undefined that it no longer waits. */
  readonly waitsForApproval = (context: object, approval: string | undefined): void => {
    const runningCall = this.runningCalls.of(context)
    if (!runningCall || runningCall.waiting === approval) return
    runningCall.waiting = approval
    this.#news.waiting(runningCall)
  }

  /** Calls `begun` with the id of each call by this very caller object, until the returned function is called. */
  onCallOf(caller: Caller, begun: (id: number) => void): () => void {
    this.#awaited.set(caller, begun)
    return () => void this.#awaited.delete(caller)
  }

  #begin(made: ToolCall, now: number): RunningCall {
    const runningCall = this.runningCalls.begin(made, now)
    this.#parts.onArrival(made)
    this.callers.note(made.caller)
    this.#news.begun(runningCall, now)
    if (this.#awaited.size > 0) this.#awaited.get(made.caller)?.(runningCall.id)
    return runningCall
  }

  /** Written out, because copying the properties from one object into the next costs more than all the rest. */
  #end(runningCall: RunningCall, ending: CallEnding, isLimited = false): void {
    const now = performance.now()
    const { call, server, startedAt } = runningCall
    const { outcome, reason } = ending
    this.runningCalls.end(runningCall)
    const over = { tool: call.tool.name, server, caller: call.caller.id, outcome, reason, isLimited, ms: now - startedAt }
    this.#parts.metrics.ended(over)
    this.stats.ended(over)
    this.#news.ended(runningCall, ending, now)
  }
}

const succeeded: CallEnding = { outcome: 'ok' }
const failed: CallEnding = { outcome: 'error' }
const cancelled: CallEnding = { outcome: 'cancelled' }

/** The error result of a cancelled call counts as a cancellation, as in the audit log. */
const errorEnding = ({ context }: ToolCall): CallEnding => (context.cancelToken.aborted ? cancelled : failed)

function endingOf(thrown: unknown, { context }: ToolCall): CallEnding {
  if (thrown instanceof Suspension) return { outcome: 'asked' }
  if (thrown instanceof Refusal) return { outcome: thrown.wasCalled ? 'failed' : 'refused', reason: thrown.reason }
  return { outcome: context.cancelToken.aborted ? 'cancelled' : 'failed' }
}

/** A refusal as `busy` with a cause is no limit: the gateway shuts down, or its limits cannot be looked up. */
const isLimitRefusal = (thrown: unknown): boolean =>
  thrown instanceof Refusal && (thrown.reason === 'rate-limited' || (thrown.reason === 'busy' && thrown.cause === undefined))

const mostKnown = 200

function knownCallers() {
  const known = new bounds.BoundedMap<string, Caller>(mostKnown)
  let latest: Caller | undefined
  return {
    note(caller: Caller): void {
      if (caller === latest) return
      latest = caller
      known.set(caller.id, caller)
    },
    get: (id: string): Caller | undefined => known.get(id),
    list: (): readonly Caller[] => [...known.values()],
  }
}
