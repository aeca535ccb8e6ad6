// Calls without end, some of which somebody has to agree to, and what their callers and those who agree were told.
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../support/running-gateway.js'
import { heardBy, type Message } from './raw.js'

type Waiting = { readonly id: string; readonly arguments: { readonly id: string } }
type At = { readonly url: string; readonly port: number }

/** What was told, over all the gateways that there have been in one place. */
export class Told {
  /** Calls with a result, and those that somebody had to agree to and that have none. */
  readonly answered = new Set<string>()
  readonly unanswered = new Set<string>()
  /** Of these, those that were made again: nobody agrees to them a second time. */
  readonly again = new Set<string>()
  /** How often a decision about a request was taken. */
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
  readonly #told: Told
  readonly #lanes: Promise<void>[]
  /** Without an answer when the gateway before this one ended. */
  readonly #left: readonly string[]
  #isOver = false
  /** How many calls that somebody had to agree to were answered by this gateway. */
  agreed = 0

  constructor(at: At, told: Told, lanes: { readonly work: number; readonly risky: number }) {
    this.#at = at
    this.#told = told
    this.#left = [...told.unanswered]
    told.unanswered.clear()
    for (const id of this.#left) told.again.add(id)
    this.#lanes = [
      ...Array.from({ length: lanes.work }, () => this.#lane('work__work')),
      ...Array.from({ length: lanes.risky }, () => this.#lane('work__risky')),
      ...(lanes.risky > 0 ? [this.#decide()] : []),
    ]
  }

  /** Settles when the gateway answers nobody any more. */
  async over(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#lanes)
  }

  /** Makes the calls that had no answer again, to the byte: who has agreed before has agreed to this. */
  async again(): Promise<void> {
    await Promise.all(this.#left.map((id) => this.#call('work__risky', id, AbortSignal.timeout(2_000))))
  }

  async #lane(name: string): Promise<void> {
    while (!this.#isOver) {
      const id = this.#told.next()
      if (name === 'work__risky') this.#told.unanswered.add(id)
      if (!(await this.#call(name, id))) return
      if (name === 'work__risky' && this.#told.answered.has(id)) this.agreed++
    }
  }

  /** False when there is nobody to call any more. */
  async #call(name: string, id: string, signal?: AbortSignal): Promise<boolean> {
    let last: Message | undefined
    try {
      last = (await heardBy(this.#at.url, name, { id }, signal)).at(-1)
    } catch {
      return false // it has gone in the middle, or the time was over
    }
    const said = JSON.stringify(last)
    if (said?.includes(`done ${id}`)) this.#told.answered.add(id)
    else this.#told.refused.push(said)
    this.#told.unanswered.delete(id)
    return true
  }

  /** Two who look at all that waits, and agree to it at the same time. */
  async #decide(): Promise<void> {
    const seen = new Set<string>()
    while (!this.#isOver) {
      const waiting = await ask(this.#at, '/approvals?limit=100').catch(() => undefined)
      if (!waiting) return
      const { approvals = [] } = waiting.body as { approvals?: Waiting[] }
      const isAgain = ({ arguments: given }: Waiting) => this.#told.again.has(given.id)
      const ids = approvals.filter((one) => !isAgain(one)).map(({ id }) => id)
      await Promise.all(approvals.filter(isAgain).map(({ id }) => this.#deny(id)))
      await Promise.all(ids.filter((id) => !seen.has(id)).flatMap((id) => [this.agree(id), this.agree(id)]))
      for (const id of ids) seen.add(id)
      await pause(5)
    }
  }

  async #deny(id: string): Promise<void> {
    await ask(this.#at, `/approvals/${id}`, { body: { decision: 'deny' } }).catch(() => undefined) // or the gateway has gone
  }

  async agree(id: string): Promise<void> {
    const { decided } = this.#told
    decided.set(id, decided.get(id) ?? 0)
    const answer = await ask(this.#at, `/approvals/${id}`, { body: { decision: 'allow' } }).catch(() => undefined)
    if (answer?.status === 200) decided.set(id, (decided.get(id) ?? 0) + 1)
  }
}
