// From what upstreams have to what is offered: names given, what may not be offered left out, and in an order of their own.
import { yieldWhenBusy } from 'toolwire/relay'

import type { OnProgress } from '../../relay/relay-call.js'
import type { SuspendedCalls } from '../../relay/suspended-calls.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { CatalogKind, UpstreamCatalog } from '../upstream-catalog.js'

/** Something that an upstream has and that is offered to nobody, and why. */
export type WithheldEntry = { readonly upstream: string; readonly kind: CatalogKind; readonly name: string; readonly why: string }

/** One thing that could be offered. */
type Candidate<Definition> = {
  readonly upstream: Upstream
  readonly name: string
  readonly exposed: string
  readonly definition: Definition
}

export type SettledEntries<Definition> = {
  readonly entries: readonly (readonly [name: string, definition: Definition])[]
  readonly withheld: readonly WithheldEntry[]
}

/** Finds out why the tools of some upstreams are to be offered to nobody. */
export type WithholdReasons = (all: readonly UpstreamCatalog[]) => Promise<ReadonlyMap<string, string>>

/** The URIs that upstreams list, offered or not: what one of them lists is not answered by a template of another. */
export class ListedUris {
  #listers = new Map<string, string | undefined>()

  /** Of long lists others get their turn meanwhile; until then, what was claimed before is. */
  async take(all: readonly UpstreamCatalog[]): Promise<void> {
    const listers = new Map<string, string | undefined>()
    const rest = yieldWhenBusy()
    for (const { upstream, resources } of all) {
      for (const { uri } of resources) {
        const pause = rest()
        if (pause) await pause
        const isShared = listers.has(uri) && listers.get(uri) !== upstream.id
        listers.set(uri, isShared ? undefined : upstream.id)
      }
    }
    this.#listers = listers
  }

  /** Whether it is listed by another upstream. */
  isOfOthers(uri: string, id: string): boolean {
    return this.#listers.has(uri) && this.#listers.get(uri) !== id
  }
}

/** A prompt, a resource or a template as its server lists it, and what was made of it: the same object for as long as it is the same. */
export type ListedDefinition = {
  readonly made: object
  readonly server: string
  readonly serverIdentity: string
  readonly kind: 'prompt' | 'resource' | 'template'
  /** The name for callers, or the address. */
  readonly name: string
  readonly definition: object
}

/** Which server it is from. */
export const serverOfUpstream = ({ id, identity }: Upstream): Pick<ListedDefinition, 'server' | 'serverIdentity'> => ({
  server: id,
  serverIdentity: identity.id,
})

export type IsAccepted = (listed: ListedDefinition) => boolean

export const waitingReason = 'its definition waits to be accepted: toolwire pins shows it'

/** What the makers of definitions need besides the thing itself. */
export type DefinitionContext = {
  readonly suspendedCalls: SuspendedCalls
  /** Which gateway this is. */
  readonly ownGatewayId: string
  readonly wanted: (exposed: string) => boolean
  /** Why the tools of upstreams are withheld, by their ids. */
  readonly heldBack: WithholdReasons
  readonly onProgress: OnProgress | undefined
  /** Whether a definition may be offered; what waits to be accepted is not. */
  readonly isOpen: IsAccepted
  /** Who lists which URI. */
  readonly claims: ListedUris
}

type Found<Definition> = { readonly candidates: readonly Candidate<Definition>[]; readonly withheld: readonly WithheldEntry[] }
type Looked<Definition> = Candidate<Definition> | WithheldEntry | undefined

/** Looks at everything that is listed, one after the other. Of long lists others get their turn meanwhile. */
export async function candidatesOf<One, Definition>(
  all: readonly UpstreamCatalog[],
  listed: (upstreamCatalog: UpstreamCatalog) => readonly One[],
  look: (one: One, upstreamCatalog: UpstreamCatalog) => Looked<Definition>,
): Promise<Found<Definition>> {
  const candidates: Candidate<Definition>[] = []
  const withheld: WithheldEntry[] = []
  const rest = yieldWhenBusy()
  for (const upstreamCatalog of all) {
    for (const one of listed(upstreamCatalog)) {
      const pause = rest()
      if (pause) await pause
      const found = look(one, upstreamCatalog)
      if (found === undefined) continue
      if ('why' in found) withheld.push(found)
      else candidates.push(found)
    }
  }
  return { candidates, withheld }
}

/**
 * In order of their names, whichever upstream answered first. What several upstreams want to offer under one name is offered by none of
 * them: neither the order in the configuration nor who came first says whose it is.
 */
export function settleNames<D>(candidates: readonly Candidate<D>[], kind: CatalogKind): SettledEntries<D> {
  const byName = new Map<string, Candidate<D>[]>()
  for (const candidate of candidates) {
    const same = byName.get(candidate.exposed)
    if (same) same.push(candidate)
    else byName.set(candidate.exposed, [candidate])
  }
  const withheld: WithheldEntry[] = []
  const entries: (readonly [string, D])[] = []
  for (const [exposed, [first, ...others]] of byName) {
    if (!first) continue
    const all = [first, ...others]
    const ids = [...new Set(all.map(({ upstream }) => upstream.id))].toSorted()
    if (ids.length === 1) entries.push([exposed, first.definition])
    const kept = ids.length === 1 ? others.filter(({ name }) => name !== first.name) : all
    for (const { upstream, name } of kept)
      withheld.push({ upstream: upstream.id, kind, name, why: whyShared(exposed, ids, upstream.id) })
  }
  return { entries: entries.sort(([one], [other]) => (one < other ? -1 : 1)), withheld }
}

const whyShared = (exposed: string, ids: readonly string[], own: string): string =>
  ids.length === 1 ? `${own} has ${exposed} already` : `${ids.join(' and ')} all have ${exposed}, ${offeredByNone}`

/** What an operator should hear of: it may have been offered before the other server came. */
export const isShared = ({ why }: WithheldEntry): boolean => why.endsWith(offeredByNone)
const offeredByNone = 'so it cannot be told whose is meant; it is offered by none of them'
