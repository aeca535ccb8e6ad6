import type { HttpSession } from './http-session.js'

/** The sessions of one caller. Both sets begin with the least recently used. */
class CallerSessions {
  readonly idle = new Set<HttpSession>()
  /** Sessions that were busy when they were last looked at, apart so that nobody has to pass them to find an idle one. */
  readonly busy = new Set<HttpSession>()
  /** When all of them were last found busy. */
  allBusyAt = Number.NEGATIVE_INFINITY

  get size(): number {
    return this.idle.size + this.busy.size
  }
}

/** The sessions of each caller, and who has the most. Each change takes constant time. */
export class SessionShares {
  readonly #byCaller = new Map<string, CallerSessions>()
  /** At each number, the callers with so many sessions; the one who used any of them last is the last. */
  readonly #bySize: Set<CallerSessions>[] = []

  of(caller: string): CallerSessions | undefined {
    return this.#byCaller.get(caller)
  }

  /** The caller with the most sessions. Among equals, it is the one who used none for longest. */
  get largest(): CallerSessions | undefined {
    const [first] = this.#bySize.at(-1) ?? []
    return first
  }

  /** Adds a session, or moves it, as the most recently used one of its caller. */
  put(session: HttpSession, state: 'idle' | 'busy'): void {
    const { id } = session.conversation.caller
    const own = this.#byCaller.get(id) ?? new CallerSessions()
    this.#byCaller.set(id, own)
    this.#change(own, () => {
      own.idle.delete(session)
      own.busy.delete(session)
      own[state].add(session)
    })
  }

  delete(session: HttpSession): void {
    const { id } = session.conversation.caller
    const own = this.#byCaller.get(id)
    if (!own) return
    this.#change(own, () => {
      own.idle.delete(session)
      own.busy.delete(session)
    })
    if (own.size === 0) this.#byCaller.delete(id)
  }

  #change(own: CallerSessions, change: () => void): void {
    this.#bySize[own.size]?.delete(own)
    change()
    const equals = this.#bySize[own.size] ?? new Set()
    this.#bySize[own.size] = equals
    if (own.size > 0) equals.add(own)
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop()
  }
}
