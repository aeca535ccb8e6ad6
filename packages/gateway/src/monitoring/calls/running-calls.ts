// The running calls: noted when they begin and forgotten when they end, with no more work than that.
import { randomInt } from 'node:crypto'
import { RpcError } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { ToolCall } from 'toolwire/guard'

export type RunningCall = {
  readonly id: number
  readonly call: ToolCall
  readonly server: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The same moment by the monotonic clock. */
  readonly startedAt: number
  /** The index in the list of running calls. */
  place: number
  progress: Progress | undefined
  /** Time of the last progress event, by the monotonic clock. */
  progressReportedAt: number
  /** Id of the approval that the call waits for. */
  waiting: string | undefined
  /** Id of the call in the audit log. */
  record: string | undefined
  /** True if the beginning had an event of its own. */
  isReported: boolean
  cancelledBy: string | undefined
}

/** Unordered. A Map would keep ended calls from being collected: docs/decisions/0012-what-a-call-leaves-behind.md. */
export class RunningCalls {
  readonly #all: RunningCall[] = []
  /** Begins anywhere, so that an id from before a restart, or of another replica, names no other call. Small integers are fastest. */
  #last = randomInt(2 ** 30)

  get size(): number {
    return this.#all.length
  }

  begin(call: ToolCall, startedAt: number): RunningCall {
    const runningCall: RunningCall = {
      id: ++this.#last,
      call,
      server: call.server ?? call.tool.definition.server ?? '',
      at: Date.now(),
      startedAt,
      place: this.#all.length,
      progress: undefined,
      progressReportedAt: 0,
      waiting: undefined,
      record: undefined,
      isReported: false,
      cancelledBy: undefined,
    }
    this.#all.push(runningCall)
    return runningCall
  }

  /** Moves the last call into the freed place. */
  end({ place, id }: RunningCall): void {
    if (this.#all[place]?.id !== id) return
    const last = this.#all.pop() as RunningCall // not empty, because this place is taken
    if (last.id === id) return
    last.place = place
    this.#all[place] = last
  }

  of(context: object): RunningCall | undefined {
    return this.#all.find(({ call }) => call.context === context)
  }

  find(id: number): RunningCall | undefined {
    return this.#all.find((runningCall) => runningCall.id === id)
  }

  /** Oldest first. */
  list(): readonly RunningCall[] {
    return [...this.#all].sort((a, b) => a.id - b.id)
  }

  /**
   * Settles when no call is left. After `ms`, the remaining calls are aborted. Nobody reads the result of an aborted task any more, but
   * its upstream and the log learn of its end.
   */
  async endAll(ms = endingMs): Promise<void> {
    await this.#allOver(ms)
    for (const { call } of this.list()) call.context.abort(new RpcError(internalError, stopped))
    await this.#allOver(abortMs)
  }

  async #allOver(ms: number): Promise<void> {
    const end = performance.now() + ms
    while (this.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

const endingMs = 10_000
/** Time that aborted calls have to end. */
const abortMs = 1_000
const lookEveryMs = 20
const internalError = -32603
const stopped = 'outcome_unknown: the gateway was stopped before the call ended. The call may have taken effect'
