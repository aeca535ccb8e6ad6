// Calls that are suspended until their callers answer in another request.
import { randomUUID } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { type Caller, ToolError } from 'toolwire'
import type { SuspendedCall, UpstreamQuestion } from '../upstreams/suspended-call.js'

type SuspensionLimits = {
  /** Time that a call waits for its caller to return. */
  readonly keepMs: number
  /** Limit of suspended calls for one caller. */
  readonly mostEach: number
  /** Limits of the bytes that suspended calls and their questions take: for one caller, and for all. */
  readonly mostBytesEach: number
  readonly mostBytes: number
}

const mebibyte = 1_024 * 1_024
/** Parsed, many small objects take up to 25 times their text, and running requests need most of the heap. */
const heapShare = 64

export type PutQuestion = { readonly caller: Caller; readonly server: string; readonly question: UpstreamQuestion }
/** The question was answered or withdrawn. */
export type QuestionOutcome = 'answered' | 'withdrawn'
/** Asks the question, and learns the outcome. */
export type OnQuestion = (put: PutQuestion, ask: () => Promise<QuestionOutcome>) => Promise<void>

type SuspendedEntry = {
  readonly call: SuspendedCall<unknown>
  readonly owner: string
  bytes: number
  timer: ReturnType<typeof setTimeout> | undefined
}

export class SuspendedCalls {
  /** Wraps each question. */
  readonly onQuestion: OnQuestion
  readonly #limits: SuspensionLimits
  readonly #spots = new Map<string, SuspendedEntry>()

  constructor({
    keepMs = 600_000,
    mostEach = 64,
    mostBytes = Math.min(256 * mebibyte, getHeapStatistics().heap_size_limit / heapShare),
    mostBytesEach = Math.min(32 * mebibyte, mostBytes),
    onQuestion = askDirectly,
  }: Partial<SuspensionLimits> & { onQuestion?: OnQuestion } = {}) {
    this.onQuestion = onQuestion
    this.#limits = { keepMs, mostEach, mostBytesEach, mostBytes }
  }

  get size(): number {
    return this.#spots.size
  }

  /** Suspends a call under a secret id that only its caller receives. */
  keep(call: SuspendedCall<unknown>, owner: string): string {
    const own = [...this.#spots.values()].filter((spot) => spot.owner === owner).length
    if (own >= this.#limits.mostEach) {
      call.cancel(new Error('Too many calls wait for answers'))
      throw new ToolError(`${own} of your calls already wait for answers. Answer some of them first`)
    }
    const id = randomUUID()
    this.#spots.set(id, { call, owner, bytes: 0, timer: undefined })
    return id
  }

  /** Notes how many bytes a call and its open questions take, and refuses a call for which there is no room. */
  measure(id: string, bytes: number): void {
    const spot = this.#spots.get(id)
    if (!spot) return
    spot.bytes = bytes
    let [own, all] = [0, 0]
    for (const one of this.#spots.values()) {
      all += one.bytes
      if (one.owner === spot.owner) own += one.bytes
    }
    const { mostBytesEach, mostBytes } = this.#limits
    if (own > mostBytesEach) throw new ToolError('Your calls that wait for answers are too large. Answer some of them first')
    if (all > mostBytes) throw new ToolError('The calls that wait for answers are too large. Try again later')
  }

  /** The call, if it is still suspended and belongs to this caller. */
  find(id: string, owner: string): SuspendedCall<unknown> | undefined {
    const spot = this.#spots.get(id)
    if (spot?.owner !== owner) return undefined
    clearTimeout(spot.timer)
    return spot.call
  }

  /** Starts the time in which the caller must return. */
  wait(id: string): void {
    const spot = this.#spots.get(id)
    if (!spot) return
    spot.timer = setTimeout(() => this.#giveUp(id, spot), this.#limits.keepMs)
    spot.timer.unref()
  }

  forget(id: string): void {
    clearTimeout(this.#spots.get(id)?.timer)
    this.#spots.delete(id)
  }

  close(): void {
    for (const [id, spot] of this.#spots) this.#giveUp(id, spot)
  }

  #giveUp(id: string, { call }: SuspendedEntry): void {
    this.forget(id)
    call.cancel(new Error('No answer came in time'))
  }
}

const askDirectly: OnQuestion = async (_, ask) => void (await ask())
