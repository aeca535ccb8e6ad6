// Definitions that were accepted, those that wait, and those that nobody wants to be asked about again.
import type { Drift, Pin } from 'toolwire/guard'
import type { EventFeed } from '../../monitoring/event-feed.js'
import type { Store } from '../../store/store.js'
import { describeServerChange } from './describe-server-change.js'
import { scanFindings } from './held-back-lines.js'
import { type DefinitionRef, type HeldBackDefinition, matchesDefinition, type PinsView } from './pin-views.js'
import type { Pinning } from './pinning.js'

type Parts = {
  readonly store: Store
  readonly events: EventFeed
  readonly pinning: () => Pinning | undefined
  readonly mask: (text: string) => string
}

export class PinRegistry {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Those that nobody has refused either. */
  get waiting(): readonly HeldBackDefinition[] {
    return this.#heldBack.filter((drift) => !this.#refusal(drift))
  }

  waits(definition: DefinitionRef): boolean {
    return this.waiting.some((drift) => matchesDefinition(drift, definition))
  }

  async view(): Promise<PinsView> {
    const { store } = this.#parts
    const { waiting } = this
    return {
      accepted: (await store.pins.list()).map((pin) => ({ ...pin, ...this.accepted(pin) })),
      waiting,
      findings: scanFindings(waiting),
      refused: this.#heldBack.flatMap((drift) => {
        const refusal = this.#refusal(drift)
        return refusal ? [{ ...drift, refusedAt: refusal.at, by: refusal.by }] : []
      }),
    }
  }

  /** When this was accepted, and by whom; nobody where its server was new. */
  accepted({ server = '', tool, at, ...what }: Pin): { readonly at: number; readonly by?: string } {
    const mark = this.#parts.store.marks.get('accepted', { server, tool })
    return mark && isAbout(mark, what) ? { at: mark.at, by: mark.by } : { at }
  }

  async accept({ server, tool, hash, serverIdentity }: DefinitionRef, by: string): Promise<void> {
    const { store, events, pinning } = this.#parts
    const whose = serverIdentity === undefined ? {} : { serverIdentity }
    await pinning()?.accept({ server, tool, hash, ...whose })
    const pinned = (await store.pins.get(server, tool))?.serverIdentity
    const mark = { hash, ...(pinned !== undefined && { serverIdentity: pinned }), at: Date.now(), by }
    await store.marks.set('accepted', { server, tool }, mark)
    await store.marks.drop('refused', { server, tool })
    events.add('pin', { what: 'accepted', server, tool, hash, ...whose, by })
  }

  /** It stays where it is, and is not asked about any more; another definition of the tool, or another server, is. */
  async refuse(definition: DefinitionRef, by: string): Promise<void> {
    const { store, events } = this.#parts
    const { server, tool, hash } = definition
    const meant = this.#heldBack.find((drift) => matchesDefinition(drift, definition))?.serverIdentity
    const whose = meant === undefined ? {} : { serverIdentity: meant }
    await store.marks.set('refused', { server, tool }, { hash, ...whose, at: Date.now(), by })
    events.add('pin', { what: 'refused', server, tool, hash, ...whose, by })
  }

  /** In the words of people, where a drift is that of another server. */
  withServer(drift: Drift): HeldBackDefinition {
    const { server = '', serverIdentity } = drift
    const { store, mask, pinning } = this.#parts
    // A tool that the accepted server never had says nothing of that server.
    const anotherServer = drift.anotherServer ?? pinning()?.anotherThan(server, serverIdentity)
    if (!anotherServer) return drift
    const factsOf = (id: string | undefined) => (id === undefined ? undefined : store.servers.get(id)?.facts)
    return {
      ...drift,
      anotherServer,
      serverChange: mask(describeServerChange(server, factsOf(anotherServer.accepted), factsOf(serverIdentity))),
    }
  }

  get #heldBack(): readonly HeldBackDefinition[] {
    return (this.#parts.pinning()?.waiting ?? []).map((drift) => this.withServer(drift))
  }

  #refusal(drift: Drift) {
    const { server = '', tool } = drift
    const mark = this.#parts.store.marks.get('refused', { server, tool })
    return mark && isAbout(mark, drift) ? mark : undefined
  }
}

type About = { readonly hash: string; readonly serverIdentity?: string }

/** What was said before it was kept of which server is said of any. */
const isAbout = (mark: About, { hash, serverIdentity }: About): boolean =>
  mark.hash === hash && (mark.serverIdentity === undefined || mark.serverIdentity === serverIdentity)
