// The running calls, from single events and from the gateway's list.
import type { Call, EventData } from '../api/types.js'

const mostKept = 2_000

export class RunningCalls {
  readonly #calls = new Map<number, Call>()
  /** Calls that began or ended while the list was loading, since it may be older. */
  #meanwhile: { readonly begun: Set<number>; readonly ended: Set<number> } | undefined

  get all(): readonly Call[] {
    return [...this.#calls.values()]
  }

  get size(): number {
    return this.#calls.size
  }

  take(event: EventData['call']): void {
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
    this.#meanwhile = { begun: new Set(), ended: new Set() }
  }

  replace(calls: readonly Call[]): void {
    const { begun, ended } = this.#meanwhile ?? { begun: new Set(), ended: new Set() }
    const begunMeanwhile = this.all.filter(({ id }) => begun.has(id))
    this.#calls.clear()
    for (const call of [...calls.slice(-mostKept), ...begunMeanwhile]) if (!ended.has(call.id)) this.#calls.set(call.id, call)
    this.#meanwhile = undefined
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

const progressOf = ({ progress, total, message }: Extract<EventData['call'], { what: 'progress' }>) => ({
  progress,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message }),
})

function waitingOf({ waiting: _, ...call }: Call, waiting: string | undefined): Call {
  return waiting === undefined ? call : { ...call, waiting }
}
