// From what upstreams have to what is offered: names given, what may not be offered left out, and in an order of their own.
import { createHash } from 'node:crypto'
import { yieldWhenBusy } from 'toolwire/relay'
import type { SuspendedCalls } from '../../relay/suspended-calls.js'
import type { OnProgress } from '../../upstreams/suspended-call.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { CatalogKind, UpstreamCatalog } from '../upstream-catalog.js'

/** Something that an upstream has and that is offered to nobody, and why. */
export type WithheldEntry = { readonly upstream: string; readonly kind: CatalogKind; readonly name: string; readonly why: string }

/** One thing that could be offered. */
type Candidate<D> = { readonly upstream: Upstream; readonly name: string; readonly exposed: string; readonly definition: D }

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

export type IsAccepted = (listed: ListedDefinition) => boolean

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

/** What was made of which words: what was made before is kept, so that only real differences are told. */
export class DefinitionMemo<T> {
  made = new Map<string, { readonly digest: string; readonly value: T }>()
}

export type Looked<Definition> = Candidate<Definition> | WithheldEntry | undefined
export type Same<T> = (key: string, words: unknown, make: () => T) => T

/** Makes what is offered of one kind. */
export type Aggregate<D> = (
  all: readonly UpstreamCatalog[],
  making: DefinitionContext,
  memo: DefinitionMemo<D>,
) => Promise<SettledEntries<D>>

type Offering<D> = {
  readonly all: readonly UpstreamCatalog[]
  readonly kind: CatalogKind
  readonly memo: DefinitionMemo<D>
  /** Gives what an upstream has one after the other, and keeps what was made before. */
  readonly look: (upstreamCatalog: UpstreamCatalog, same: Same<D>) => Iterable<Looked<D>>
}

/** Looks at everything that is listed. Of long lists others get their turn meanwhile. */
export async function settledOf<D>({ all, kind, memo, look }: Offering<D>): Promise<SettledEntries<D>> {
  const made: DefinitionMemo<D>['made'] = new Map()
  const same: Same<D> = (key, about, make) => {
    const digest = createHash('sha256').update(JSON.stringify(about)).digest('base64')
    const known = memo.made.get(key)
    const kept = known?.digest === digest ? known : { digest, value: make() }
    made.set(key, kept)
    return kept.value
  }
  const candidates: Candidate<D>[] = []
  const withheld: WithheldEntry[] = []
  const rest = yieldWhenBusy()
  for (const upstreamCatalog of all) {
    for (const found of look(upstreamCatalog, same)) {
      if (found && 'why' in found) withheld.push(found)
      else if (found) candidates.push(found)
      const pause = rest()
      if (pause) await pause
    }
  }
  memo.made = made
  const { entries, shared } = settleNames(candidates, kind)
  return { entries, withheld: [...withheld, ...shared] }
}

/**
 * In order of their names, whichever upstream answered first. What several upstreams want to offer under one name is offered by none of
 * them: neither the order in the configuration nor who came first says whose it is.
 */
function settleNames<D>(candidates: readonly Candidate<D>[], kind: CatalogKind) {
  const byName = new Map<string, [Candidate<D>, ...Candidate<D>[]]>()
  for (const candidate of candidates) {
    const same = byName.get(candidate.exposed)
    if (same) same.push(candidate)
    else byName.set(candidate.exposed, [candidate])
  }
  const shared: WithheldEntry[] = []
  const entries: (readonly [string, D])[] = []
  for (const [exposed, all] of byName) {
    const [first, ...others] = all
    const ids = [...new Set(all.map(({ upstream }) => upstream.id))].toSorted()
    if (ids.length === 1) entries.push([exposed, first.definition])
    const kept = ids.length === 1 ? others.filter(({ name }) => name !== first.name) : all
    for (const { upstream, name } of kept)
      shared.push({ upstream: upstream.id, kind, name, why: whyShared(exposed, ids, upstream.id) })
  }
  return { entries: entries.sort(([one], [other]) => (one < other ? -1 : 1)), shared }
}

const whyShared = (exposed: string, ids: readonly string[], own: string): string =>
  ids.length === 1 ? `${own} has ${exposed} already` : `${ids.join(' and ')} all have ${exposed}, ${offeredByNone}`

/** What an operator should hear of: it may have been offered before the other server came. */
export const isShared = ({ why }: WithheldEntry): boolean => why.endsWith(offeredByNone)
const offeredByNone = 'so it cannot be told whose is meant; it is offered by none of them'
