import { type ApprovalState, type ApprovalStore, type AskedElsewhere, type Found, readAnswer, type Settled } from 'toolwire/guard'
import type { KeptApproval, Verdict } from './database/approval-rows.js'
import { momentOf } from './database/moment.js'
import type { Desk } from './desk.js'
import type { Health } from './health.js'
import { Settling } from './settling.js'

/** A request that is no longer pending. */
export type PastApproval = Found & { readonly settledAt?: number }

/** Requests for approval, in the database. What was pending when the process ended is pending in the next one, while there is time. */
export type StoredApprovals = ApprovalStore & {
  /** What became of requests, the latest first; 1,000 are kept of those that are over. */
  history(most?: number): Promise<readonly PastApproval[]>
}

type Parts = { readonly desk: Desk; readonly health: Health; readonly now: () => number }

const usualPage = 100

export function storedApprovals({ desk, health, now }: Parts): StoredApprovals {
  const settling = new Settling()
  const listeners = new Set<() => void>()
  const moment = () => momentOf(now())

  function changed(): void {
    for (const listener of listeners) listener()
  }

  function moved(id: string, to: Settled): void {
    settling.tell(id, to)
    changed()
  }

  async function standing(id: string): Promise<Settled | { leftMs: number }> {
    const found = await desk.ask('standing', id, moment())
    if (!found) return { state: 'gone' }
    const is = stateOf(found.kept)
    return is.state === 'pending' ? { leftMs: found.leftMs } : is
  }

  return {
    async add(asked, most) {
      const added = await health.of(desk.ask('addApproval', rowOf(asked), most, moment()))
      if (added === 'added') changed()
      return added
    },
    async decide(id, answer) {
      const decision = readAnswer(answer)
      const verdict: Verdict = decision.allowed
        ? { state: 'allowed', ...(decision.always && { always: decision.always }) }
        : { state: 'denied', ...(decision.why !== undefined && { why: decision.why }) }
      const done = await health.of(desk.ask('decide', id, verdict, moment()))
      if (done) moved(id, verdict)
      return done
    },
    async release(id, digest) {
      const done = await health.of(desk.ask('release', id, digest, moment()))
      if (done) moved(id, { state: 'released' })
      return done
    },
    async withdraw(id) {
      if (await health.of(desk.ask('withdraw', id))) moved(id, { state: 'gone' })
    },
    pending: async (most = usualPage) => (await desk.ask('pending', most, moment())).map(askedIn),
    async matching(callDigest) {
      const kept = await desk.ask('matching', callDigest, moment())
      return kept && foundIn(kept)
    },
    settled: (id, signal) => settling.wait(id, signal, () => standing(id)),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async history(most = usualPage) {
      const past = await desk.ask('history', most, moment())
      return past.map((kept) => ({ ...foundIn(kept), ...(kept.settledAt !== undefined && { settledAt: kept.settledAt }) }))
    },
  }
}

function rowOf(asked: AskedElsewhere) {
  const { id, caller, callDigest, digest, held, expiresAt } = asked
  const waitsMs = expiresAt - Date.now()
  return { id, caller, callDigest, digest, held, text: JSON.stringify(asked), expiresAt: Math.trunc(expiresAt), waitsMs }
}

const foundIn = (kept: KeptApproval): Found => ({ asked: askedIn(kept), is: stateOf(kept) })

function askedIn({ text, held }: KeptApproval): AskedElsewhere {
  // `rowOf` has written it; what is undefined is not in the text.
  const asked = JSON.parse(text) as AskedElsewhere
  return Object.freeze({ ...asked, policyVersion: asked.policyVersion, server: asked.server, held })
}

function stateOf({ state, why, always }: KeptApproval): ApprovalState {
  if (state === 'allowed') return always ? { state, always } : { state }
  if (state === 'denied') return why === undefined ? { state } : { state, why }
  return { state }
}
