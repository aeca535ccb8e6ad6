// Reports new and decided approvals to watchers and to the webhook.
import type { ApprovalState, PendingApproval } from 'toolwire/guard'
import { isLocalCaller } from '../access/local-callers.js'
import type { GatewayConfig } from '../config/gateway-config.js'
import { withoutUndefined } from '../json/without-undefined.js'
import type { EventFeed } from '../monitoring/event-feed.js'
import type { QueuePosition } from '../store/approvals/approval-queue.js'
import type { Store } from '../store/store.js'
import { type ApprovalDecisions, changedSinceRequest, decisionFromState } from './decide-approvals.js'
import { approvalWebhook, type WebhookOptions } from './webhook.js'

/** The operator's log, and the event feed for watchers. */
type NotifierLog = Pick<EventFeed, 'add'> & { write(level: 'info' | 'warning', message: string): void }

type NotifierParts = {
  readonly store: Store
  readonly decisions: ApprovalDecisions
  readonly log: NotifierLog
  /** The terminal commands for deciding this call. */
  readonly commands: (id: string) => string
}
type PendingCall = {
  readonly tool: string
  readonly caller: string
  readonly timer: NodeJS.Timeout
  /** Another gateway sends its webhook request. */
  readonly isElsewhere: boolean
}

const endings: { readonly [S in ApprovalState['state']]: string } = {
  pending: 'waits',
  allowed: 'allowed',
  denied: 'denied',
  released: 'allowed and made',
  expired: 'expired without a decision',
  gone: 'abandoned by its caller',
}

const headEveryMs = 5_000
/** The store also bounds the bytes of a page. */
const pageSize = 100

export function approvalNotifier({ store, decisions, log, commands }: NotifierParts, config: GatewayConfig) {
  const waiting = new Map<string, PendingCall>()
  const closed = new AbortController()
  let webhook: ReturnType<typeof approvalWebhook> | undefined

  function use(wanted: Pick<GatewayConfig, 'webhook'>): void {
    webhook?.close()
    const warn = (words: string) => log.write('warning', words)
    const decide: WebhookOptions['decide'] = async (id, answer, by) => {
      const how = await decisions.decide(id, answer, { by: 'webhook', behind: by, toolMayBeAbsent: true })
      if (!how || how.done) return
      const rest = 'but callers may not approve their own calls. The call still waits for another person'
      if (how.state === 'own') warn(`The webhook approved ${id} as ${by}, ${rest}`)
      if (how.state === 'changed') warn(`The webhook approved ${id} in vain. ${changedSinceRequest(how.changes)}`)
      if (how.state === 'unreadable') warn(`The webhook approved ${id}, but the arguments of the call cannot be read. Deny it`)
    }
    webhook = wanted.webhook && approvalWebhook({ ...wanted.webhook, read: readPending, decide, onTrouble: warn })
  }

  async function readPending(id: string): Promise<PendingApproval | undefined> {
    const found = await store.approvals.find(id)
    return found?.is.state === 'pending' ? found.asked : undefined
  }

  function notePending(one: PendingApproval, isElsewhere = false): void {
    const { id, tool, server, caller, expiresAt } = one
    if (waiting.has(id)) return
    // The store does not report the expiry of a call that no caller holds.
    const timer = setTimeout(() => void noteExpiry(id), Math.max(0, expiresAt - Date.now())).unref()
    waiting.set(id, { tool: tool.name, caller, timer, isElsewhere })
    log.add('approval', { what: 'asked', id, tool: tool.name, server, caller, expiresAt })
    log.write('warning', `${tool.name} waits for approval, called by ${callerIn(caller)}:   ${commands(id)}`)
    if (!isElsewhere) webhook?.asked(id)
  }

  /** Asks the store whether the request has expired, because it may be decided as long as the store's own clock allows it. */
  async function noteExpiry(id: string): Promise<void> {
    const { state } = await store.approvals.settled(id, closed.signal).catch(() => ({ state: 'expired' }) as const)
    if (!closed.signal.aborted) noteEnd(id, state)
  }

  /** Reports only the first end of a call: an allowed call may be released or abandoned later. */
  function noteEnd(id: string, state: ApprovalState['state'], by?: string): void {
    const open = waiting.get(id)
    if (!open) return
    clearTimeout(open.timer)
    waiting.delete(id)
    const { tool, caller } = open
    const how = withoutUndefined({ state, decision: decisionFromState(state), by })
    log.add('approval', { what: 'over', id, tool, caller, ...how })
    log.write('info', `${tool}, called by ${callerIn(caller)}: ${endings[state]}${by === undefined ? '' : ` by ${by}`}`)
    webhook?.settled(id)
  }

  /**
   * Reads the queue until a pass finds nothing new: a decision made meanwhile moves later requests of the same caller forward, to places
   * that were read already.
   */
  async function eachPending(found: (one: PendingApproval) => void): Promise<void> {
    const seen = new Set<string>()
    let after: QueuePosition | undefined
    let before: number
    try {
      do {
        before = seen.size
        do {
          const isWhole = after === undefined
          const { page, next } = await store.approvals.queue({ limit: pageSize, ...(after && { after }) })
          if (closed.signal.aborted) return
          for (const { asked } of page) {
            if (!seen.has(asked.id)) found(asked)
            seen.add(asked.id)
          }
          if (isWhole && !next) return
          after = next
        } while (after)
      } while (seen.size > before)
    } catch (why) {
      log.write('warning', `The pending approvals cannot be read: ${why}`)
    }
  }

  use(config)
  const stop = store.approvals.onMove((move) => {
    if (move.what === 'asked') notePending(move.asked, move.elsewhere)
    else noteEnd(move.id, move.is.state, move.by)
  })
  // Pending calls from before this start, or of other gateways.
  void eachPending((one) => notePending(one, store.approvals.isShared))
  return {
    /** Asks another webhook about the calls that are pending already. */
    use(wanted: Pick<GatewayConfig, 'webhook'>): void {
      use(wanted)
      if (!webhook) return
      for (const [id, { isElsewhere }] of waiting) if (!isElsewhere) webhook.asked(id)
    },
    close(): void {
      stop()
      closed.abort()
      for (const { timer } of waiting.values()) clearTimeout(timer)
      webhook?.close()
    },
  }
}

const callerIn = (caller: string): string => (isLocalCaller(caller) ? `${caller} (unverified)` : caller)

/** Announces the end of the log regularly, until the returned function is called. */
export function announceLogHead({ audit }: Store, log: NotifierLog): () => void {
  let told = audit.head?.sequence
  const timer = setInterval(() => {
    const { head } = audit
    if (head && head.sequence !== told) log.add('audit', { sequence: head.sequence, hash: head.hash })
    told = head?.sequence
  }, headEveryMs).unref()
  return () => clearInterval(timer)
}
