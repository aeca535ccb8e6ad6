// Definitions that were accepted, those that wait, and those that nobody wants to be asked about again.
import type { Drift, Pin } from 'toolwire/guard'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { EventFeed } from '../../monitoring/event-feed.js'
import type { Store } from '../../store/store.js'
import { describeServerChange } from './describe-server-change.js'
import { scanFindings } from './held-back-lines.js'
import { type DefinitionRef, type HeldBackDefinition, matchesDefinition } from './pin-views.js'
import type { Pinning } from './pinning.js'

type Parts = {
  readonly store: Store
  readonly events: EventFeed
  readonly pinning: () => Pinning | undefined
  readonly mask: (text: string) => string
}

type RefusedDefinition = HeldBackDefinition & { readonly refusedAt: number; readonly by: string }

export type PinRegistry = ReturnType<typeof pinRegistry>
/** Definitions that were accepted, that wait to be, and that wait no longer though nobody has accepted them. */
export type PinsView = Awaited<ReturnType<PinRegistry['view']>>

export function pinRegistry({ store, events, pinning, mask }: Parts) {
  const heldBack = (): readonly HeldBackDefinition[] => (pinning()?.waiting ?? []).map(withServer)
  /** Those that nobody has refused either. */
  const waiting = () => heldBack().filter((drift) => !refusal(drift))

  function refusal(drift: Drift) {
    const { server = '', tool } = drift
    const mark = store.marks.get('refused', { server, tool })
    return mark && isAbout(mark, drift) ? mark : undefined
  }

  /** When this was accepted, and by whom; nobody where its server was new. */
  function accepted({ server = '', tool, at, ...what }: Pin): { readonly at: number; readonly by?: string } {
    const mark = store.marks.get('accepted', { server, tool })
    return mark && isAbout(mark, what) ? { at: mark.at, by: mark.by } : { at }
  }

  /** In the words of people, where a drift is that of another server. */
  function withServer(drift: Drift): HeldBackDefinition {
    const { server = '', serverIdentity } = drift
    // A tool that the accepted server never had says nothing of that server.
    const anotherServer = drift.anotherServer ?? pinning()?.anotherThan(server, serverIdentity)
    if (!anotherServer) return drift
    const factsOf = (id: string | undefined) => (id === undefined ? undefined : store.servers.get(id)?.facts)
    const change = describeServerChange(server, factsOf(anotherServer.accepted), factsOf(serverIdentity))
    return { ...drift, anotherServer, serverChange: mask(change) }
  }

  return {
    accepted,
    withServer,
    get waiting() {
      return waiting()
    },
    waits: (definition: DefinitionRef) => waiting().some((drift) => matchesDefinition(drift, definition)),
    async view() {
      const held = waiting()
      return {
        accepted: (await store.pins.list()).map((pin) => ({ ...pin, ...accepted(pin) })),
        waiting: held,
        findings: scanFindings(held),
        refused: heldBack().flatMap((drift): readonly RefusedDefinition[] => {
          const refused = refusal(drift)
          return refused ? [{ ...drift, refusedAt: refused.at, by: refused.by }] : []
        }),
      }
    },
    async accept({ server, tool, hash, serverIdentity }: DefinitionRef, by: string): Promise<void> {
      const whose = withoutUndefined({ serverIdentity })
      await pinning()?.accept({ server, tool, hash, ...whose })
      const pinned = (await store.pins.get(server, tool))?.serverIdentity
      const mark = withoutUndefined({ hash, serverIdentity: pinned, at: Date.now(), by })
      await store.marks.set('accepted', { server, tool }, mark)
      await store.marks.drop('refused', { server, tool })
      events.add('pin', { what: 'accepted', server, tool, hash, ...whose, by })
    },
    /** It stays where it is, and is not asked about any more; another definition of the tool, or another server, is. */
    async refuse(definition: DefinitionRef, by: string): Promise<void> {
      const { server, tool, hash } = definition
      const meant = heldBack().find((drift) => matchesDefinition(drift, definition))
      const whose = withoutUndefined({ serverIdentity: meant?.serverIdentity })
      await store.marks.set('refused', { server, tool }, { hash, ...whose, at: Date.now(), by })
      events.add('pin', { what: 'refused', server, tool, hash, ...whose, by })
    },
  }
}

type About = { readonly hash: string; readonly serverIdentity?: string }

/** What was said before it was kept of which server is said of any. */
const isAbout = (mark: About, { hash, serverIdentity }: About): boolean =>
  mark.hash === hash && (mark.serverIdentity === undefined || mark.serverIdentity === serverIdentity)
