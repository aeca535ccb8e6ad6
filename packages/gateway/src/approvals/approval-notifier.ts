// Reports new and decided approvals to watchers and to the webhook.
import type { ApprovalState, PendingApproval } from 'toolwire/guard'
import { isLocalCaller } from '../access/local-callers.js'
import type { GatewayConfig } from '../config/gateway-config.js'
import type { EventFeed } from '../monitoring/event-feed.js'
import type { Store } from '../store/store.js'
import { type ApprovalDecisions, decisionFromState } from './decide-approvals.js'
import { approvalWebhook, type WebhookOptions } from './webhook.js'

/** Where the operator reads what happens, and those who watch hear of it. */
type NotifierLog = Pick<EventFeed, 'add'> & { write(level: 'info' | 'warning', message: string): void }

type Parts = {
  readonly store: Store
  readonly decisions: ApprovalDecisions
  readonly log: NotifierLog
  /** What somebody types in a terminal to decide about this one. */
  readonly commands: (id: string) => string
}
type Open = { readonly tool: string; readonly caller: string; readonly timer: NodeJS.Timeout }

const endings: { readonly [S in ApprovalState['state']]: string } = {
  pending: 'waits',
  allowed: 'allowed',
  denied: 'denied',
  released: 'allowed, and made',
  expired: 'expired without a decision',
  gone: 'abandoned by its caller',
}

const headEveryMs = 5_000
const mostKept = 10_000

export class ApprovalNotifier {
  readonly #parts: Parts
  readonly #stop: () => void
  readonly #open = new Map<string, Open>()
  #webhook: ReturnType<typeof approvalWebhook> | undefined

  constructor(parts: Parts, config: GatewayConfig) {
    this.#parts = parts
    this.use(config)
    const { store, log } = parts
    this.#stop = store.approvals.onMove((move) => {
      if (move.what === 'asked') this.#asked(move.asked)
      else this.#over(move.id, move.is.state, move.by)
    })
    // What waits already has been asked in the life before this one.
    store.approvals.pending(mostKept).then(
      (pending) => {
        for (const one of pending) this.#asked(one)
      },
      (why) => log.write('warning', `What waits for approval cannot be read: ${why}`),
    )
  }

  use({ webhook }: GatewayConfig): void {
    const { decisions, log } = this.#parts
    this.#webhook?.close()
    const warn = (words: string) => log.write('warning', words)
    const decide: WebhookOptions['decide'] = async (id, answer, by) => {
      const how = await decisions.decide(id, answer, { by: 'webhook', behind: by })
      const rest = 'but callers may not approve their own calls. It still waits for another person'
      if (how && !how.done && how.state === 'own') warn(`The webhook approved ${id} as ${by}, ${rest}`)
    }
    this.#webhook = webhook && approvalWebhook({ ...webhook, decide, onTrouble: warn })
  }

  close(): void {
    this.#stop()
    for (const { timer } of this.#open.values()) clearTimeout(timer)
    this.#webhook?.close()
  }

  #asked(one: PendingApproval): void {
    const { id, tool, server, caller, expiresAt } = one
    if (this.#open.has(id)) return
    // Nobody says so when the time of a call is over that nobody holds.
    const timer = setTimeout(() => this.#over(id, 'expired'), Math.max(0, expiresAt - Date.now())).unref()
    this.#open.set(id, { tool: tool.name, caller, timer })
    const { log, commands } = this.#parts
    log.add('approval', { what: 'asked', id, tool: tool.name, server, caller, expiresAt })
    log.write('warning', `${tool.name} waits for approval, called by ${callerIn(caller)}:   ${commands(id)}`)
    this.#webhook?.asked(one)
  }

  /** Told once: what was allowed may be used, or given up, later on. */
  #over(id: string, state: ApprovalState['state'], by?: string): void {
    const open = this.#open.get(id)
    if (!open) return
    clearTimeout(open.timer)
    this.#open.delete(id)
    const { tool, caller } = open
    const { log } = this.#parts
    const decision = decisionFromState(state)
    const how = { state, ...(decision && { decision }), ...(by !== undefined && { by }) }
    log.add('approval', { what: 'over', id, tool, caller, ...how })
    log.write('info', `${tool}, called by ${callerIn(caller)}: ${endings[state]}${by === undefined ? '' : ` by ${by}`}`)
    this.#webhook?.settled(id)
  }
}

const callerIn = (caller: string): string => (isLocalCaller(caller) ? `${caller} (unverified)` : caller)

/** Tells now and then where the log ends, until the returned function is called. */
export function announceLogHead({ audit }: Store, log: NotifierLog): () => void {
  let told = audit.head?.sequence
  const timer = setInterval(() => {
    const { head } = audit
    if (head && head.sequence !== told) log.add('audit', { sequence: head.sequence, hash: head.hash })
    told = head?.sequence
  }, headEveryMs).unref()
  return () => clearInterval(timer)
}
