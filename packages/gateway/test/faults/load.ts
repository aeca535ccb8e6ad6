// Sends calls without end, some of which need approval, and records the answers to callers and approvers.
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../support/running-gateway.js'
import { type Message, messagesFor } from './raw.js'

type Waiting = { readonly id: string; readonly arguments: { readonly id: string } }
type At = { readonly url: string; readonly port: number }

/** The answers from all gateways on one data directory. */
export class ReceivedAnswers {
  /** Calls with a result, and calls that need approval and have no result. */
  readonly answered = new Set<string>()
  readonly unanswered = new Set<string>()
  /** The repeated ones among them: they are never approved a second time. */
  readonly again = new Set<string>()
  /** The number of accepted decisions for each approval. */
  readonly decided = new Map<string, number>()
  readonly refused: string[] = []
  #last = 0

  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  next(): string {
    return `${this.#name}-${++this.#last}`
  }
}

export class Load {
  readonly #at: At
  readonly #received: ReceivedAnswers
  readonly #lanes: Promise<void>[]
  /** Calls without an answer when the previous gateway ended. */
  readonly #left: readonly string[]
  #isOver = false
  /** Approved calls that this gateway has answered. */
  agreed = 0

  constructor(at: At, received: ReceivedAnswers, lanes: { readonly work: number; readonly risky: number }) {
    this.#at = at
    this.#received = received
    this.#left = [...received.unanswered]
    received.unanswered.clear()
    for (const id of this.#left) received.again.add(id)
    this.#lanes = [
      ...Array.from({ length: lanes.work }, () => this.#lane('work__work')),
      ...Array.from({ length: lanes.risky }, () => this.#lane('work__risky')),
      ...(lanes.risky > 0 ? [this.#decide()] : []),
    ]
  }

  /** Settles when the gateway answers no more requests. */
  async over(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#lanes)
  }

  /** Repeats the unanswered calls byte by byte, so that an earlier approval still covers them. */
  async again(): Promise<void> {
    await Promise.all(this.#left.map((id) => this.#call('work__risky', id, AbortSignal.timeout(2_000))))
  }

  async #lane(name: string): Promise<void> {
    while (!this.#isOver) {
      const id = this.#received.next()
      if (name === 'work__risky') this.#received.unanswered.add(id)
      if (!(await this.#call(name, id))) return
      if (name === 'work__risky' && this.#received.answered.has(id)) this.agreed++
    }
  }

  /** False if the gateway is gone. */
  async #call(name: string, id: string, signal?: AbortSignal): Promise<boolean> {
    let last: Message | undefined
    try {
      last = (await messagesFor(this.#at.url, name, { id }, signal)).at(-1)
    } catch {
      return false // the gateway was killed during the call, or the timeout passed
    }
    const answer = JSON.stringify(last)
    if (answer?.includes(`done ${id}`)) this.#received.answered.add(id)
    else this.#received.refused.push(answer)
    this.#received.unanswered.delete(id)
    return true
  }

  /** Approves each pending call twice at the same moment. */
  async #decide(): Promise<void> {
    const decidedIds = new Set<string>()
    while (!this.#isOver) {
      const waiting = await ask(this.#at, '/approvals?limit=100').catch(() => undefined)
      if (!waiting) return
      const { approvals = [] } = waiting.body as { approvals?: Waiting[] }
      const isAgain = ({ arguments: given }: Waiting) => this.#received.again.has(given.id)
      const ids = approvals.filter((one) => !isAgain(one)).map(({ id }) => id)
      await Promise.all(approvals.filter(isAgain).map(({ id }) => this.#deny(id)))
      await Promise.all(ids.filter((id) => !decidedIds.has(id)).flatMap((id) => [this.agree(id), this.agree(id)]))
      for (const id of ids) decidedIds.add(id)
      await pause(5)
    }
  }

  async #deny(id: string): Promise<void> {
    await ask(this.#at, `/approvals/${id}`, { body: { decision: 'deny' } }).catch(() => undefined) // or the gateway is gone
  }

  async agree(id: string): Promise<void> {
    const { decided } = this.#received
    decided.set(id, decided.get(id) ?? 0)
    const answer = await ask(this.#at, `/approvals/${id}`, { body: { decision: 'allow' } }).catch(() => undefined)
    if (answer?.status === 200) decided.set(id, (decided.get(id) ?? 0) + 1)
  }
}
