// Definitions of tools: accepted, waiting and refused.
import type { Drift, Pin } from 'toolwire/guard'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
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

/** All withheld definitions, or only those that nobody has refused. */
type Among = 'withheld' | 'waiting'

type RefusedDefinition = HeldBackDefinition & { readonly refusedAt: number; readonly by: string }

export type PinRegistry = ReturnType<typeof pinRegistry>
export type PinsView = Awaited<ReturnType<PinRegistry['view']>>

export function pinRegistry({ store, events, pinning, mask }: Parts) {
  const heldBack = (): readonly HeldBackDefinition[] => (pinning()?.waiting ?? []).map(withServer)
  /** The withheld definitions that nobody has refused. */
  const waiting = () => heldBack().filter((drift) => !refusal(drift))
  const find = (definition: DefinitionRef, among: Among) =>
    (among === 'waiting' ? waiting() : heldBack()).find((drift) => matchesDefinition(drift, definition))
  // Decisions are made in turn, so nobody refuses a definition that another person has just accepted.
  const inTurn = oneAtATime()

  function refusal(drift: Drift) {
    const { server = '', tool } = drift
    const mark = store.marks.get('refused', { server, tool })
    return mark && isAbout(mark, drift) ? mark : undefined
  }

  /** Returns when a pin was accepted and by whom. The name is missing if it was accepted with its new server. */
  function accepted({ server = '', tool, at, ...what }: Pin): { readonly at: number; readonly by?: string } {
    const mark = store.marks.get('accepted', { server, tool })
    return mark && isAbout(mark, what) ? { at: mark.at, by: mark.by } : { at }
  }

  /** Adds a description of the server change, if the definition comes from another server than the accepted one. */
  function withServer(drift: Drift): HeldBackDefinition {
    const { server = '', serverIdentity } = drift
    // The drift of a new tool does not mention the accepted server, so the server is looked up by its name.
    const anotherServer = drift.anotherServer ?? pinning()?.conflictingServer(server, serverIdentity)
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
    waits: (definition: DefinitionRef) => find(definition, 'waiting') !== undefined,
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
    /** Accepts a definition. Returns false if it is no longer withheld, or no longer waiting. */
    accept: (definition: DefinitionRef, by: string, among: Among = 'withheld'): Promise<boolean> =>
      inTurn(async () => {
        const { server, tool, hash, serverIdentity } = definition
        if (!find(definition, among)) return false
        const whose = withoutUndefined({ serverIdentity })
        await pinning()?.accept({ server, tool, hash, ...whose })
        const pinned = (await store.pins.get(server, tool))?.serverIdentity
        const mark = withoutUndefined({ hash, serverIdentity: pinned, at: Date.now(), by })
        await store.marks.set('accepted', { server, tool }, mark)
        await store.marks.drop('refused', { server, tool })
        events.add('pin', { what: 'accepted', server, tool, hash, ...whose, by })
        return true
      }),
    /**
     * The definition stays withheld and is not asked about again. Another definition or another server is asked about. Returns false like
     * `accept`.
     */
    refuse: (definition: DefinitionRef, by: string, among: Among = 'withheld'): Promise<boolean> =>
      inTurn(async () => {
        const { server, tool, hash } = definition
        const meant = find(definition, among)
        if (!meant) return false
        const whose = withoutUndefined({ serverIdentity: meant.serverIdentity })
        await store.marks.set('refused', { server, tool }, { hash, ...whose, at: Date.now(), by })
        events.add('pin', { what: 'refused', server, tool, hash, ...whose, by })
        return true
      }),
  }
}

type About = { readonly hash: string; readonly serverIdentity?: string }

/** A mark from before server identities were recorded matches every server. */
const isAbout = (mark: About, { hash, serverIdentity }: About): boolean =>
  mark.hash === hash && (mark.serverIdentity === undefined || mark.serverIdentity === serverIdentity)
