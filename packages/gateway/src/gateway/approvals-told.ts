// Calls that begin to wait for a decision, and those that no longer do: told to whoever watches, and to the webhook.
import type { ApprovalState, AskedElsewhere } from 'toolwire/guard'
import type { GatewayConfig } from '../config/config.js'
import { type Decisions, decisionIn } from '../door/decisions.js'
import { isUnverified } from '../door/this-machine.js'
import type { Store } from '../store/store.js'
import type { Move } from '../store/stored-approvals.js'
import type { News } from './news.js'
import { Webhook } from './webhook.js'

type Parts = {
  readonly store: Store
  readonly decisions: Decisions
  readonly news: News
  /** What somebody types in a terminal to decide about this one. */
  readonly commands: (id: string) => string
}
type Over = { readonly state: ApprovalState['state']; readonly by?: string }
type Open = { readonly tool: string; readonly caller: string; readonly timer: NodeJS.Timeout }

const endings: { readonly [S in ApprovalState['state']]: string } = {
  pending: 'waits',
  allowed: 'allowed',
  denied: 'denied',
  released: 'allowed, and made',
  expired: 'nobody decided in time',
  gone: 'its caller waits no longer',
}

const headEveryMs = 5_000
const mostKept = 10_000

export class ApprovalsTold {
  readonly #parts: Parts
  readonly #stop: () => void
  readonly #open = new Map<string, Open>()
  #webhook: Webhook | undefined

  constructor(parts: Parts, config: GatewayConfig) {
    this.#parts = parts
    this.use(config)
    const { store, news } = parts
    this.#stop = store.approvals.onMove((move) => this.#moved(move))
    // What waits already has been asked in the life before this one.
    store.approvals.pending(mostKept).then(
      (pending) => {
        for (const one of pending) this.#asked(one)
      },
      (why) => news.note('warning', `What waits for approval cannot be read: ${why}`),
    )
  }

  use({ webhook }: GatewayConfig): void {
    const { decisions, news } = this.#parts
    this.#webhook?.close()
    this.#webhook =
      webhook &&
      new Webhook({
        ...webhook,
        decide: async (id, answer, by) => {
          const how = await decisions.decide(id, answer, { by: 'webhook', behind: by })
          if (how && !how.done && how.state === 'own')
            news.note(
              'warning',
              `The webhook says that ${by} allows ${id}, and nobody allows their own call: it waits for somebody else`,
            )
        },
        onTrouble: (words) => news.note('warning', words),
      })
  }

  close(): void {
    this.#stop()
    for (const { timer } of this.#open.values()) clearTimeout(timer)
    this.#webhook?.close()
  }

  #moved(move: Move): void {
    if (move.what === 'asked') this.#asked(move.asked)
    else this.#over(move.id, { state: move.is.state, ...(move.by !== undefined && { by: move.by }) })
  }

  #asked(one: AskedElsewhere): void {
    const { id, tool, server, caller, expiresAt } = one
    if (this.#open.has(id)) return
    // Nobody says so when the time of a call is over that nobody holds.
    const timer = setTimeout(() => this.#over(id, { state: 'expired' }), Math.max(0, expiresAt - Date.now())).unref()
    this.#open.set(id, { tool: tool.name, caller, timer })
    this.#parts.news.add('approval', { what: 'asked', id, tool: tool.name, server, caller, expiresAt })
    this.#parts.news.note(
      'warning',
      `${tool.name} waits for approval, called by ${callerIn(caller)}:   ${this.#parts.commands(id)}`,
    )
    this.#webhook?.asked(one)
  }

  /** Told once: what was allowed may be used, or given up, later on. */
  #over(id: string, { state, by }: Over): void {
    const open = this.#open.get(id)
    if (!open) return
    clearTimeout(open.timer)
    this.#open.delete(id)
    const { tool, caller } = open
    const decision = decisionIn(state)
    const how = { state, ...(decision && { decision }), ...(by !== undefined && { by }) }
    this.#parts.news.add('approval', { what: 'over', id, tool, caller, ...how })
    this.#parts.news.note(
      'info',
      `${tool}, called by ${callerIn(caller)}: ${endings[state]}${by === undefined ? '' : ` by ${by}`}`,
    )
    this.#webhook?.over(id)
  }
}

const callerIn = (caller: string): string => (isUnverified(caller) ? `${caller} (unverified)` : caller)

/** Tells now and then where the log ends, until the returned function is called. */
export function tellHead({ audit }: Store, news: News): () => void {
  let told = audit.head?.sequence
  const timer = setInterval(() => {
    const { head } = audit
    if (head && head.sequence !== told) news.add('audit', { sequence: head.sequence, hash: head.hash })
    told = head?.sequence
  }, headEveryMs).unref()
  return () => clearInterval(timer)
}
