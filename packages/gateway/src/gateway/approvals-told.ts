// Calls that begin to wait for a decision, and those that no longer do: told to whoever watches, and to the webhook.
import type { GatewayConfig } from '../config/config.js'
import type { Decisions } from '../door/decisions.js'
import type { Store } from '../store/store.js'
import type { News } from './news.js'
import { watchPending } from './pending-watch.js'
import { Webhook } from './webhook.js'

type Parts = { readonly store: Store; readonly decisions: Decisions; readonly news: News }

const headEveryMs = 5_000

export class ApprovalsTold {
  readonly #parts: Parts
  readonly #stop: () => void
  #webhook: Webhook | undefined

  constructor(parts: Parts, config: GatewayConfig) {
    this.#parts = parts
    this.use(config)
    const { store, news } = parts
    this.#stop = watchPending(store.approvals, {
      asked: (one) => {
        const { id, tool, caller, expiresAt } = one
        news.add('approval', { what: 'asked', id, tool: tool.name, caller, expiresAt })
        this.#webhook?.asked(one)
      },
      over: (id) => {
        news.add('approval', { what: 'over', id })
        this.#webhook?.over(id)
      },
      failed: (why) => news.note('warning', `What waits for approval cannot be read: ${why}`),
    })
  }

  use({ webhook }: GatewayConfig): void {
    const { decisions, news } = this.#parts
    this.#webhook?.close()
    this.#webhook =
      webhook &&
      new Webhook({
        ...webhook,
        decide: (id, answer) => decisions.decide(id, answer, 'webhook'),
        onTrouble: (words) => news.note('warning', words),
      })
  }

  close(): void {
    this.#stop()
    this.#webhook?.close()
  }
}

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
