// Keeps what is known about a server's revision, from earlier connections and from the server itself.
import type { Endpoint } from '../../peer/client-transport.js'
import type { Revision } from '../../revisions/revision.js'
import type { RevisionSet } from '../../revisions/revision-set.js'
import { type DiscoveryAnswer, lifetimeOf, type OpenedSession, openSession } from './open-session.js'
import { isAccessFailure } from './revision-mismatch.js'
import type { RevisionStore } from './revision-store.js'
import type { SessionHost } from './session.js'

/** Answers without a lifetime are stale at once, but asking with every request would double the requests. */
export const discoverEveryMs = 60_000

export type NegotiatorOptions = {
  readonly endpoint: Endpoint
  readonly revisions: RevisionSet
  readonly discover: boolean
  readonly store: RevisionStore
}

export function negotiator({ endpoint, revisions, discover, store }: NegotiatorOptions) {
  let discovered: DiscoveryAnswer | undefined
  /** True after a wrong assumption about the server; from then on it is asked first. */
  let isMistaken = false
  return {
    /** True if the server has answered `server/discover`. */
    isDiscovered: () => discovered !== undefined,
    /** True if another style than the assumed one can be tried. */
    mayBeOtherStyle: discover || revisions.handshake.length > 0,
    /** Opens a session in the known revision, and negotiates anew if that fails. */
    async open(host: SessionHost, isWanted: () => boolean): Promise<OpenedSession> {
      const known = store.get(endpoint.key)
      const target = { endpoint, host, revisions, known, discover: discover || isMistaken, discovered }
      return openSession(target).catch((thrown) => {
        if (!known || !isWanted() || isAccessFailure(thrown)) throw thrown
        store.delete(endpoint.key)
        return openSession({ ...target, known: undefined })
      })
    },
    /** The time, as of `performance.now()`, from which the server is asked to describe itself again. */
    staleAt: () => (discovered ? discovered.at + Math.max(lifetimeOf(discovered), discoverEveryMs) : Number.POSITIVE_INFINITY),
    /** Stores a revision that the server itself has confirmed. */
    remember(revision: Revision, { said, older }: Pick<OpenedSession, 'said' | 'older'>): void {
      discovered = said && revision.style === 'per-request' ? { said, at: performance.now() } : undefined
      store.set(endpoint.key, { revision: revision.version, at: Date.now(), ...(older && { older }) })
    },
    forget(): void {
      isMistaken = true
      discovered = undefined
      store.delete(endpoint.key)
    },
  }
}
