// The calls that are under way: noted when they begin and forgotten when they end, with no more work than that.
import { RpcError } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { ToolCall } from 'toolwire/guard'

/** A call while it is under way. */
export type RunningCall = {
  /** Counts the calls of this process. */
  readonly id: number
  readonly call: ToolCall
  readonly server: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The same moment by the clock that nobody sets. */
  readonly startedAt: number
  /** Where it stands among the others. */
  place: number
  progress: Progress | undefined
  /** When progress was told last, by that clock. */
  progressToldAt: number
  /** Id of the approval that it waits for. */
  waiting: string | undefined
  /** Its id in the log. */
  record: string | undefined
  /** Whether its beginning was told by itself. */
  told: boolean
  /** Who has put an end to it. */
  cancelledBy: string | undefined
}

/** In no order, and in no Map, which would keep what is over from being collected: docs/decisions/0012-what-a-call-leaves-behind.md. */
export class RunningCalls {
  readonly #all: RunningCall[] = []
  #last = 0

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
      progressToldAt: 0,
      waiting: undefined,
      record: undefined,
      told: false,
      cancelledBy: undefined,
    }
    this.#all.push(runningCall)
    return runningCall
  }

  /** The last one moves into its place. */
  end({ place, id }: RunningCall): void {
    if (this.#all[place]?.id !== id) return
    const last = this.#all.pop() as RunningCall // it is not empty, or nothing had this place
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
   * Settles when none is left: they have their time, and then they are told that it is over. Of a task nobody will hear any more, but
   * its upstream does, and the log.
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
/** How long a call may take to end that has been told to. */
const abortMs = 1_000
const lookEveryMs = 20
const internalError = -32603
const stopped = 'outcome_unknown: the gateway was stopped before the call was over, which may have done its work'
