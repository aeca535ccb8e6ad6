// The guard around every call. All endpoints share it, so that limits count their calls together. A new config brings a new guard;
// calls in progress finish under the guard that they began with.
import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Limit, Refusal } from 'toolwire'
import { type ApprovalRequest, type ApprovalStore, type Approver, concurrency, type Policy, type ToolCall } from 'toolwire/guard'
import { plainText, ruleParts, type types } from 'toolwire/relay'
import { rules } from 'toolwire/rules'
import { type CredentialHolder, isCredentialValid } from '../access/credentials.js'
import type { AggregateServerOptions } from '../catalog/aggregate-server.js'
import { type GatewayConfig, type GuardConfig, hasSpool } from '../config/gateway-config.js'
import type { CallObserver } from '../monitoring/call-observer.js'
import { nestPolicies, type Telemetry } from '../monitoring/telemetry.js'
import { recordAction, recordsOf } from '../store/audit/record-action.js'
import type { Store } from '../store/store.js'
import { type ApproverOptions, approverFor } from './approver.js'
import type { SharedLimits } from './limits/shared-limits.js'
import { Pinning, type PinningOptions } from './pins/pinning.js'
import type { PolicyFile } from './policy/policy-file.js'
import type { SanitizedText } from './sanitized-text.js'
import type { Shutdown } from './shutdown.js'
import { askOrRefuse, listOrRefuse, releaseOrRefuse } from './store-unavailable.js'
import type { ToolStates } from './tools/tool-states.js'
import { waitingRoom } from './waiting-room.js'

export type GuardParts = {
  readonly store: Store
  readonly limits: Pick<SharedLimits, 'store' | 'ofRecordedCalls'>
  readonly policy: PolicyFile
  readonly pinning: Omit<PinningOptions, 'strict'>
  readonly observer: CallObserver
  /** Sanitizes the texts of upstreams by the same rules as their results. */
  readonly sanitizedText: SanitizedText
  readonly states: ToolStates
  readonly shutdown: Shutdown
  readonly patienceMs: number
  readonly telemetry: Telemetry | undefined
  /** Instructions for deciding a pending request, shown to the waiting caller. */
  readonly howTo: (id: string) => string
}

export class Guard {
  pinning: Pinning | undefined
  readonly #parts: GuardParts
  /** Labels of what callers have received; they survive changes of rules and config. */
  readonly #received: ruleParts.LabelStore
  /** One for all configs, because calls of an earlier one may still wait. */
  readonly #takeRoom = waitingRoom()
  /** The setting that `pinning` was opened for. */
  #pins: GuardConfig['pins'] = false
  #atOnce: { readonly options: types.ConcurrencyOptions; readonly policy: Policy } | undefined

  constructor(parts: GuardParts) {
    this.#parts = parts
    this.#received = parts.store.fleet?.labels ?? new ruleParts.ReceivedLabels()
  }

  /** Options that the config does not set. */
  get serverOptions(): Pick<AggregateServerOptions['server'], 'limitStore' | 'secret' | 'spentTickets'> {
    const { limits, store } = this.#parts
    // Derived from the stored key, so that sessions, cursors and suspended calls survive a restart.
    const secret = createHmac('sha256', store.digestKey).update('toolwire sessions').digest('hex')
    return { limitStore: limits.store, secret, spentTickets: store.spentTickets }
  }

  /** The guard for calls that begin from now on. */
  async guardingFor({
    guard,
    apiKey,
    approvals: { ask: audience, waitMs, holdMs, mostPending },
  }: GatewayConfig): Promise<types.ServerGuard> {
    const { store, limits, policy, observer, states, shutdown, patienceMs, telemetry, howTo, sanitizedText } = this.#parts
    const { rate, lists, sanitize, approvals, audit, inFlight, inFlightEach, queue } = guard
    const pinning = await this.#pin(guard.pins)
    await sanitizedText.use(sanitize)
    const { waitsForApproval: onWait, runningCalls } = observer
    const recordOf = ({ context }: ToolCall) => runningCalls.of(context)?.record
    const recorded = approvalsUsedBy(store)
    const released = (call: ToolCall) => (audit ? recorded(call, recordOf(call)) : store.approvals)
    const usedBy = (call: ToolCall) => releaseOrRefuse(released(call))
    const checkCredential = (caller: CredentialHolder): void => {
      if (!isCredentialValid(caller, { keys: store.keys, apiKey })) throw new Refusal('forbidden', credentialGone)
    }
    const readmit = (call: ToolCall): void => {
      states.recheck(call)
      checkCredential(call.caller)
    }
    const takeRoom = this.#takeRoom
    const onAnswer: ApproverOptions['onAnswer'] = (request, call, decision) =>
      recordAction(audit ? store.audit : undefined, answeredByCaller(request, decision, recordOf(call)))
    const asking = { ask: audience, mostPending, patienceMs, holdMs, howTo }
    const ask = approverFor(store.approvals, { ...asking, onWait, usedBy, onAnswer, takeRoom })
    const limitStore = audit && !hasSpool({ guard }) ? limits.ofRecordedCalls : limits.store
    policy.asks = approvals
    policy.readOnlyClaims = guard.readOnlyClaims
    const judge = rules(policy.where(approvals), {
      store: limitStore,
      serverOf: ({ definition }) => definition.server,
      received: this.#received,
    })
    const recheck = (call: ToolCall): void | Promise<void> => {
      readmit(call)
      return judge.recheck(call)
    }
    return {
      guard: {
        observe: nestPolicies(telemetry?.policy, observer),
        audit: audit ? { log: store.audit, key: store.digestKey, redact: 'each' } : false,
        rateLimit: rate ? { tool: rate, store: limitStore } : false,
        ...(pinning && { pin: pinning.policy }),
        rules: judge,
        ...(approvals && {
          approve: { ask: followedBy(readmit, askOrRefuse(ask)), remember: listOrRefuse(store.grants), waitMs, mostPending },
        }),
        concurrency: nestPolicies(this.#concurrency(guard), recheckedBy(recheck)),
        sanitize: sanitize && { rules: sanitize.rules },
      },
      policies: [shutdown.policy, states, readingWith(checkCredential)],
      limits: { inFlight, inFlightEach, queue, lists, reads: rate && readsBy(rate) },
    }
  }

  async #pin(pins: GuardConfig['pins']): Promise<Pinning | undefined> {
    if (pins === this.#pins) return this.pinning
    const next = pins ? await Pinning.open({ ...this.#parts.pinning, strict: pins === 'strict' }) : undefined
    this.pinning?.close()
    this.pinning = next
    this.#pins = pins
    return next
  }

  /** One policy for all endpoints, so that the limit is a total; it is replaced only when the numbers change. */
  #concurrency({ inFlight: all, inFlightEach: each, inFlightUpstream: perServer, queue }: GuardConfig): Policy {
    const options = { all, each, perServer, queue }
    if (!isDeepStrictEqual(this.#atOnce?.options, options)) this.#atOnce = { options, policy: concurrency(options) }
    return this.#atOnce?.policy ?? concurrency(options)
  }
}

/** Writes an audit record, which names the call's own record, with each use of an approval. Both are committed, or neither. */
const approvalsUsedBy =
  ({ approvals, audit }: Store) =>
  ({ caller, tool }: ToolCall, record: string | undefined): ApprovalStore => ({
    ...approvals,
    release(id, digest) {
      const about = { id, tool: plainText.visibleLine(tool.name), call: record ?? null }
      const records = recordsOf({ by: plainText.visibleLine(caller.id), act: 'use-approval', about })
      return approvals.release(id, digest, (use) => audit.appendWithUse(records, use))
    },
  })

/** The same act as a decision at the gateway, with the name of the caller whose client asked its person. */
function answeredByCaller({ id, tool, caller, callDigest }: ApprovalRequest, decision: string, record: string | undefined) {
  const about = { id, decision, tool: tool.name, caller, callDigest, asked: 'caller', call: record ?? null }
  return { by: plainText.visibleLine(caller), act: 'approval', about }
}

/** Checks a call again after the wait for its approver, before the approval is used. */
const followedBy =
  (readmit: (call: ToolCall) => void, ask: Approver): Approver =>
  async (request, call) => {
    const answer = await ask(request, call)
    readmit(call)
    return answer
  }

/** Lets the relay check a call again right before it sends it, after the waits for its turn and for its server. */
const recheckedBy = (recheck: (call: ToolCall) => void | Promise<void>): Policy => ({
  name: 'recheck',
  call(call, next) {
    const again = () => recheck(call)
    call.context.recheck = again
    return next(call)
  },
})

/** Reads are admitted again right before they are sent. */
const readingWith = (checkCredential: (caller: CredentialHolder) => void): Policy => ({
  name: 'credentials',
  read(_, caller) {
    checkCredential(caller)
    return undefined
  },
})

const credentialGone =
  'The credentials of the caller were revoked or have expired while the request waited, so it was not made. Try again with valid credentials'

const readingsForACall = 10

/** One limit for all resources of all servers, so it is a larger one; the same for prompts and for completions. */
const readsBy = ({ calls, per, burst = calls }: Limit): Limit => ({
  calls: calls * readingsForACall,
  per,
  burst: burst * readingsForACall,
})
