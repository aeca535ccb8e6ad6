// Deciding about calls that wait: once, by whoever is first, and with their name in the log.
import type { ApprovalAnswer, ApprovalState, AuditLog } from 'toolwire/guard'
import type { Store } from '../store/store.js'
import type { Events } from './events.js'
import { recorded } from './recorded.js'

/** What came of it: it was decided now, or by somebody before, or there is no such request. */
export type Decided =
  | { readonly done: true }
  | ({ readonly done: false; readonly state: ApprovalState['state']; readonly why?: string } & Partial<Known>)
  | undefined

/** What was decided here, and by whom. */
type Known = { readonly decision: 'allow' | 'deny'; readonly by: string }

type Parts = { readonly store: Store; readonly log: AuditLog | undefined; readonly events: Events }

const mostKnown = 1_000
const mostSearched = 1_000

export class Decisions {
  readonly #parts: Parts
  readonly #known = new Map<string, Known>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async decide(id: string, answer: ApprovalAnswer, by: string): Promise<Decided> {
    const { store, log, events } = this.#parts
    const asked = (await store.approvals.pending(mostSearched)).find((one) => one.id === id)
    if (!asked) return this.#before(id)
    const decision = isYes(answer) ? 'allow' : 'deny'
    const about = { id, decision, tool: asked.tool.name, caller: asked.caller, callDigest: asked.callDigest }
    const done = await recorded(log, { by, act: 'approval', about }, () => store.approvals.decide(id, answer))
    if (!done) return this.#before(id)
    this.#remember(id, { decision, by })
    events.add('approval', { what: 'decided', id, decision, by, tool: asked.tool.name })
    return { done: true }
  }

  async #before(id: string): Promise<Decided> {
    const past = (await this.#parts.store.approvals.history(mostSearched)).find(({ asked }) => asked.id === id)
    if (!past) return undefined
    const { state } = past.is
    const why = past.is.state === 'denied' ? past.is.why : undefined
    return { done: false, state, ...(why !== undefined && { why }), ...this.#known.get(id) }
  }

  #remember(id: string, known: Known): void {
    this.#known.set(id, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }
}

const isYes = (answer: ApprovalAnswer): boolean => answer === 'allow' || (typeof answer === 'object' && 'allow' in answer)
