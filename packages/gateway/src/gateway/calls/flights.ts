// The calls that are under way: noted when they begin and forgotten when they end, with no more work than that.
import type { ToolCall } from 'toolwire'
import type { Progress } from 'toolwire/client'

type CallContext = ToolCall['context']

/** A call while it is under way. */
export type Flight = {
  /** Counts the calls of this process. */
  readonly id: number
  readonly call: ToolCall
  readonly server: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The same moment by the clock that nobody sets. */
  readonly startedAt: number
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

export class Flights {
  readonly #all = new Map<CallContext, Flight>()
  #last = 0

  get size(): number {
    return this.#all.size
  }

  begin(call: ToolCall, startedAt: number): Flight {
    const flight: Flight = {
      id: ++this.#last,
      call,
      server: call.server ?? call.tool.definition.server ?? '',
      at: Date.now(),
      startedAt,
      progress: undefined,
      progressToldAt: 0,
      waiting: undefined,
      record: undefined,
      told: false,
      cancelledBy: undefined,
    }
    this.#all.set(call.context, flight)
    return flight
  }

  end({ call }: Flight): void {
    this.#all.delete(call.context)
  }

  of(context: object): Flight | undefined {
    return this.#all.get(context as CallContext) // a key is looked up by what it is
  }

  find(id: number): Flight | undefined {
    for (const flight of this.#all.values()) if (flight.id === id) return flight
    return undefined
  }

  /** Oldest first. */
  list(): readonly Flight[] {
    return [...this.#all.values()]
  }
}
