// Calls that wait for an answer which will come with another request of their caller's.
import { randomUUID } from 'node:crypto'
import { type Caller, ToolError } from 'toolwire'
import type { SuspendedCall, UpstreamQuestion } from '../upstreams/suspended-call.js'

type SuspensionLimits = {
  /** How long a call waits for its caller to come back. */
  readonly keepMs: number
  /** How many calls of one caller may wait. */
  readonly mostEach: number
}

/** A question of an upstream that is put to somebody. */
export type PutQuestion = { readonly caller: Caller; readonly server: string; readonly question: UpstreamQuestion }
/** The question was answered, or nobody wants to know any more. */
export type Settled = 'answered' | 'withdrawn'
/** Puts the question, and hears how that went. */
export type OnQuestion = (put: PutQuestion, ask: () => Promise<Settled>) => Promise<void>

type SuspendedEntry = {
  readonly call: SuspendedCall<unknown>
  readonly owner: string
  timer: ReturnType<typeof setTimeout> | undefined
}

export class SuspendedCalls {
  /** Stands around each question that is put. */
  readonly asked: OnQuestion
  readonly #limits: SuspensionLimits
  readonly #spots = new Map<string, SuspendedEntry>()

  constructor({ keepMs = 600_000, mostEach = 64, asked = askDirectly }: Partial<SuspensionLimits> & { asked?: OnQuestion } = {}) {
    this.asked = asked
    this.#limits = { keepMs, mostEach }
  }

  get size(): number {
    return this.#spots.size
  }

  /** A place for the call, by a name that only its caller is told. */
  keep(call: SuspendedCall<unknown>, owner: string): string {
    const own = [...this.#spots.values()].filter((spot) => spot.owner === owner).length
    if (own >= this.#limits.mostEach) {
      call.cancel(new Error('Too many calls wait for answers'))
      throw new ToolError(`${own} calls of yours wait for answers already; answer some of them first`)
    }
    const id = randomUUID()
    this.#spots.set(id, { call, owner, timer: undefined })
    return id
  }

  /** The call, if it is still there and was made by the same caller. */
  find(id: string, owner: string): SuspendedCall<unknown> | undefined {
    const spot = this.#spots.get(id)
    if (spot?.owner !== owner) return undefined
    clearTimeout(spot.timer)
    return spot.call
  }

  /** Its caller has gone to find an answer, and has so long to come back. */
  wait(id: string): void {
    const spot = this.#spots.get(id)
    if (!spot) return
    spot.timer = setTimeout(() => this.#giveUp(id, spot), this.#limits.keepMs)
    spot.timer.unref()
  }

  /** It is over. */
  forget(id: string): void {
    clearTimeout(this.#spots.get(id)?.timer)
    this.#spots.delete(id)
  }

  close(): void {
    for (const [id, spot] of this.#spots) this.#giveUp(id, spot)
  }

  #giveUp(id: string, { call }: SuspendedEntry): void {
    this.forget(id)
    call.cancel(new Error('Nobody came back with an answer'))
  }
}

const askDirectly: OnQuestion = async (_, ask) => void (await ask())
