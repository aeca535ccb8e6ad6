// What is known of the era that a server is from: from connections before this one, and from the server itself.
import type { Endpoint } from '../../peer/client-transport.js'
import type { Revision } from '../../revisions/revision.js'
import type { RevisionSet } from '../../revisions/revision-set.js'
import { type DiscoveryAnswer, type OpenedSession, openSession } from './open-session.js'
import { isAccessFailure } from './revision-mismatch.js'
import type { RevisionStore } from './revision-store.js'
import type { SessionHost } from './session.js'

export type NegotiatorOptions = {
  readonly endpoint: Endpoint
  readonly revisions: RevisionSet
  readonly discover: boolean
  readonly store: RevisionStore
}

export function negotiator({ endpoint, revisions, discover, store }: NegotiatorOptions) {
  let discovered: DiscoveryAnswer | undefined
  /** What was assumed of the server has turned out to be wrong: from now on it is asked. */
  let isMistaken = false
  return {
    /** Whether the server has told this client what it offers. */
    isDiscovered: () => discovered !== undefined,
    /** Whether it could be from another era than the one that is assumed. */
    mayBeOtherStyle: discover || revisions.handshake.length > 0,
    /** Opens a session in the era that is known, or in the one that is found out when that was wrong. */
    async open(host: SessionHost, isWanted: () => boolean): Promise<OpenedSession> {
      const known = store.get(endpoint.key)
      const target = { endpoint, host, revisions, known, discover: discover || isMistaken, discovered }
      return openSession(target).catch((thrown) => {
        if (!known || !isWanted() || isAccessFailure(thrown)) throw thrown
        store.delete(endpoint.key)
        return openSession({ ...target, known: undefined })
      })
    },
    /** From the server itself, and not from before. */
    remember(revision: Revision, { said, older }: OpenedSession): void {
      discovered = said && revision.style === 'per-request' ? { said, at: performance.now() } : undefined
      store.set(endpoint.key, { revision: revision.version, at: Date.now(), ...(older && { older }) })
    },
    /** What was assumed was wrong. */
    forget(): void {
      isMistaken = true
      discovered = undefined
      store.delete(endpoint.key)
    },
  }
}
