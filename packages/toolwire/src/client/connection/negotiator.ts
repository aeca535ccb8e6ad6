// What is known of the era that a server is from: from connections before this one, and from the server itself.
import type { JsonObject } from '../../json.js'
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

export class Negotiator {
  readonly #options: NegotiatorOptions
  #discovered: DiscoveryAnswer | undefined
  /** What was assumed of the server has turned out to be wrong: from now on it is asked. */
  #mistaken = false

  constructor(options: NegotiatorOptions) {
    this.#options = options
  }

  /** Whether the server has told this client what it offers. */
  get isDiscovered(): boolean {
    return this.#discovered !== undefined
  }

  /** Whether it could be from another era than the one that is assumed. */
  get mayBeOtherStyle(): boolean {
    return this.#options.discover || this.#options.revisions.handshake.length > 0
  }

  /** Opens a session in the era that is known, or in the one that is found out when that was wrong. */
  async open(host: SessionHost, isWanted: () => boolean): Promise<OpenedSession> {
    const { endpoint, revisions: revisionSet, store: verdicts } = this.#options
    const known = verdicts.get(endpoint.key)
    const discover = this.#options.discover || this.#mistaken
    const options = { revisions: revisionSet, known, discover, discovered: this.#discovered }
    return openSession(endpoint, host, options).catch((thrown) => {
      if (!known || !isWanted() || isAccessFailure(thrown)) throw thrown
      verdicts.delete(endpoint.key)
      return openSession(endpoint, host, { ...options, known: undefined })
    })
  }

  /** From the server itself, and not from before. */
  remember(revision: Revision, { said, older }: { said: JsonObject | undefined; older: boolean }): void {
    const { endpoint, store: verdicts } = this.#options
    this.#discovered = said && revision.style === 'per-request' ? { said, at: performance.now() } : undefined
    verdicts.set(endpoint.key, { revision: revision.version, at: Date.now(), ...(older && { older }) })
  }

  /** What was assumed was wrong. */
  forget(): void {
    this.#mistaken = true
    this.#discovered = undefined
    this.#options.store.delete(this.#options.endpoint.key)
  }
}
