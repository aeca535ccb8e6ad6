// What stands around every call, the same for every endpoint: limits hold for all of them together.
import { createHmac } from 'node:crypto'
import { concurrency, type LimitStore } from 'toolwire'
import type { Approver, AuditLog } from 'toolwire/guard'
import { rules } from 'toolwire/rules'
import type { GatewayConfig } from '../config/config.js'
import type { OfferOptions } from '../offers/offer.js'
import type { Store } from '../store/store.js'
import type { Catalogue } from './catalogue.js'
import type { Leaving } from './leaving.js'
import type { Observing } from './observing.js'
import type { Pinning } from './pinning.js'
import type { PolicyFile } from './policy-file.js'

export type GuardingParts = {
  readonly config: GatewayConfig
  readonly store: Store
  readonly log: AuditLog | undefined
  readonly limits: LimitStore
  readonly policy: PolicyFile
  readonly pinning: Pinning | undefined
  readonly approver: Approver
  readonly observing: Observing
  readonly catalogue: Catalogue
  readonly leaving: Leaving
}

/** What `server` is to know for each endpoint. */
export function guarding(
  parts: GuardingParts,
): Pick<OfferOptions['server'], 'guard' | 'policies' | 'limits' | 'limitStore' | 'secret'> {
  const { config, store, log, limits, policy, pinning, approver, observing, catalogue, leaving } = parts
  const { rate, lists, sanitize, approvals, inFlight, inFlightEach, inFlightUpstream, queue } = config.guard
  const { waitMs, mostPending } = config.approvals
  return {
    guard: {
      observe: observing,
      audit: log ? { log, key: store.digestKey, redact: 'each' } : false,
      rateLimit: rate ? { tool: rate } : false,
      ...(pinning && { pin: pinning.policy }),
      rules: rules(policy, { store: limits, serverOf: ({ definition }) => definition.server }),
      ...(approvals && { approve: { ask: approver, remember: store.grants, waitMs, mostPending } }),
      // One for all endpoints, or each would let as many through.
      concurrency: concurrency({ all: inFlight, each: inFlightEach, perServer: inFlightUpstream, queue }),
      sanitize: sanitize && { rules: sanitize.rules },
    },
    policies: [leaving.policy, catalogue.policy],
    limits: { inFlight, inFlightEach, queue, lists },
    limitStore: limits,
    // Sessions, cursors and parked calls are still known when the gateway has been started again.
    secret: createHmac('sha256', store.digestKey).update('toolwire sessions').digest('hex'),
  }
}
