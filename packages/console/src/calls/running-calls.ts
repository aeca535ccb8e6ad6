// The running calls, from single events and from the gateway's list.
import type { Call, EventData } from '../api/types.js'

const mostKept = 2_000

export class RunningCalls {
  readonly #calls = new Map<number, Call>()
  /** Calls that began or ended while the list was loading, since it may be older, and the latest progress and wait of each. */
  #meanwhile: Meanwhile | undefined

  get all(): readonly Call[] {
    return [...this.#calls.values()]
  }

  get size(): number {
    return this.#calls.size
  }

  take(event: EventData['call']): void {
    if (event.what === 'progress' || event.what === 'waiting') this.#meanwhile?.latest.set(`${event.what} ${event.call}`, event)
    const known = this.#calls.get(event.call)
    if (event.what === 'begun') this.#begin(event)
    else if (event.what === 'ended') this.end(event.call)
    else if (known && event.what === 'progress') this.#calls.set(event.call, { ...known, progress: progressOf(event) })
    else if (known && event.what === 'waiting') this.#calls.set(event.call, waitingOf(known, event.waiting))
  }

  end(id: number): void {
    this.#calls.delete(id)
    this.#meanwhile?.ended.add(id)
  }

  /** Begins to note events, because a list is being loaded; `replace` ends that. */
  expectList(): void {
    this.#meanwhile = nothingMeanwhile()
  }

  replace(calls: readonly Call[]): void {
    const { begun, ended, latest } = this.#meanwhile ?? nothingMeanwhile()
    const begunMeanwhile = this.all.filter(({ id }) => begun.has(id))
    this.#calls.clear()
    for (const call of [...calls.slice(-mostKept), ...begunMeanwhile]) if (!ended.has(call.id)) this.#calls.set(call.id, call)
    this.#meanwhile = undefined
    for (const event of latest.values()) this.take(event)
  }

  #begin(event: Extract<EventData['call'], { what: 'begun' }>): void {
    const { call: id, tool, server, caller, set, at: startedAt, arguments: args = {}, cut } = event
    const more = { ...(set !== undefined && { set }), ...(cut && { cut }) }
    this.#calls.set(id, { id, tool, server, caller, ...more, arguments: args, startedAt })
    this.#meanwhile?.begun.add(id)
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > mostKept && oldest !== undefined) this.#calls.delete(oldest)
  }
}

type Meanwhile = ReturnType<typeof nothingMeanwhile>
const nothingMeanwhile = () => ({
  begun: new Set<number>(),
  ended: new Set<number>(),
  latest: new Map<string, EventData['call']>(),
})

const progressOf = ({ progress, total, message }: Extract<EventData['call'], { what: 'progress' }>) => ({
  progress,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message }),
})

function waitingOf({ waiting: _, ...call }: Call, waiting: string | undefined): Call {
  return waiting === undefined ? call : { ...call, waiting }
}
