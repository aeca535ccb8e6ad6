// Turns the catalogs of upstreams into the definitions to offer: assigns names, leaves out those that may not be offered, and sorts.
import { createHash } from 'node:crypto'
import { type AnyTool, plainText, yieldWhenBusy } from 'toolwire/relay'
import type { SuspendedCalls } from '../../relay/suspended-calls.js'
import type { OnProgress } from '../../upstreams/suspended-call.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { CatalogKind, UpstreamCatalog } from '../upstream-catalog.js'

/** A definition of an upstream that is not offered, and the reason. */
export type WithheldEntry = { readonly upstream: string; readonly kind: CatalogKind; readonly name: string; readonly why: string }

type Candidate<D> = { readonly upstream: Upstream; readonly name: string; readonly exposed: string; readonly definition: D }

export type SettledEntries<Definition> = {
  readonly entries: readonly (readonly [name: string, definition: Definition])[]
  readonly withheld: readonly WithheldEntry[]
}

/** Finds the upstreams whose tools are all withheld, with the reasons. */
export type WithholdReasons = (all: readonly UpstreamCatalog[]) => Promise<ReadonlyMap<string, string>>

// RFC 3986, 6.2.2: letter case of scheme, host and escapes, and escapes of characters that need none, make no other URI.
const head = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i
const unreserved = /^[A-Za-z0-9._~-]$/

/** The library matches no longer URI with a template. */
const longestUri = 65_536

/** One spelling for all spellings of a URI, for telling whether two servers list the same. */
const uriSpelling = (uri: string): string =>
  plainText
    .normalized(uri, 'NFC')
    .toWellFormed()
    .replace(/[^\x00-\x7f]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (written) => {
      const character = String.fromCharCode(Number.parseInt(written.slice(1), 16))
      return unreserved.test(character) ? character : written.toUpperCase()
    })
    .replace(head, (start) => start.toLowerCase())

/** The URIs that upstreams list, offered or not, so that no template of another upstream reads them. */
export class ListedUris {
  #listers = new Map<string, string | undefined>()
  /** Upstreams that may list any URI, because their resources have not been listed yet. */
  #unknown: readonly string[] = []
  /** The URI that was spelled last, because one request asks about the same URI for each template. */
  #last = { uri: '', spelled: '' }

  /** Yields to other work during long lists. Until the new list is complete, the old one stays in use. */
  async take(all: readonly UpstreamCatalog[]): Promise<void> {
    const listers = new Map<string, string | undefined>()
    const unknown = all.flatMap((one) => (one.isListed('resources') ? [] : [one.upstream.id]))
    const rest = yieldWhenBusy()
    for (const { upstream, resources } of all) {
      for (const { uri } of resources) {
        const pause = rest()
        if (pause) await pause
        if (typeof uri !== 'string' || uri.length > longestUri) continue // the server may list anything
        const spelled = uriSpelling(uri)
        const isShared = listers.has(spelled) && listers.get(spelled) !== upstream.id
        listers.set(spelled, isShared ? undefined : upstream.id)
      }
    }
    this.#listers = listers
    this.#unknown = unknown
  }

  /** May another upstream list this URI? */
  mayBeOthers(uri: string, id: string): boolean {
    if (uri.length > longestUri || this.#unknown.some((other) => other !== id)) return true
    if (this.#last.uri !== uri) this.#last = { uri, spelled: uriSpelling(uri) }
    const { spelled } = this.#last
    return this.#listers.has(spelled) && this.#listers.get(spelled) !== id
  }
}

/** A prompt, a resource or a template as listed, and its definition, which stays the same object until the listing changes. */
export type ListedDefinition = {
  readonly made: object
  readonly server: string
  readonly serverIdentity: string
  readonly kind: 'prompt' | 'resource' | 'template'
  /** The name for callers, or the URI. */
  readonly name: string
  readonly definition: object
}

export type IsAccepted = (listed: ListedDefinition) => boolean

export type DefinitionContext = {
  readonly suspendedCalls: SuspendedCalls
  readonly ownGatewayId: string
  readonly isWanted: (exposed: string) => boolean
  /** The tool that callers see under this name now. */
  readonly offered: (exposed: string) => AnyTool['definition'] | undefined
  readonly withholdReasons: WithholdReasons
  readonly onProgress: OnProgress | undefined
  /** May a definition be offered? It may not while it waits for acceptance. */
  readonly isAccepted: IsAccepted
  /** The URIs listed by each upstream. */
  readonly listedUris: ListedUris
}

/**
 * Definitions by digest and key, because a server may list several under one key. Unchanged ones are kept, so that only real changes are
 * checked and announced.
 */
export class DefinitionMemo<T> {
  made = new Map<string, T>()
}

export type CandidateOrWithheld<Definition> = Candidate<Definition> | WithheldEntry | undefined
export type Memoize<T> = (key: string, words: unknown, make: () => T) => T

export type Aggregate<D> = (
  all: readonly UpstreamCatalog[],
  making: DefinitionContext,
  memo: DefinitionMemo<D>,
) => Promise<SettledEntries<D>>

type AggregateOptions<D> = {
  readonly all: readonly UpstreamCatalog[]
  readonly kind: CatalogKind
  readonly memo: DefinitionMemo<D>
  /** Yields the definitions of an upstream; `memoize` returns the earlier one if it has not changed. */
  readonly candidatesOf: (upstreamCatalog: UpstreamCatalog, memoize: Memoize<D>) => Iterable<CandidateOrWithheld<D>>
}

/** Makes all definitions of one kind, and yields to other work during long lists. */
export async function settleEntries<D>({ all, kind, memo, candidatesOf }: AggregateOptions<D>): Promise<SettledEntries<D>> {
  const made: DefinitionMemo<D>['made'] = new Map()
  const memoize: Memoize<D> = (key, about, make) => {
    const place = `${createHash('sha256').update(JSON.stringify(about)).digest('base64')} ${key}`
    const kept = made.get(place) ?? memo.made.get(place) ?? make()
    made.set(place, kept)
    return kept
  }
  const candidates: Candidate<D>[] = []
  const withheld: WithheldEntry[] = []
  const rest = yieldWhenBusy()
  for (const upstreamCatalog of all) {
    for (const found of candidatesOf(upstreamCatalog, memoize)) {
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
 * Sorts by name, whichever upstream answered first. A name that several upstreams want is offered by none of them, because neither the
 * order in the config nor the time of arrival decides the owner.
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
      shared.push({ upstream: upstream.id, kind, name, why: conflictReason(exposed, ids, upstream.id) })
  }
  return { entries: entries.sort(([one], [other]) => (one < other ? -1 : 1)), shared }
}

const conflictReason = (exposed: string, ids: readonly string[], own: string): string =>
  ids.length === 1 ? `${own} has ${exposed} already` : `${ids.join(' and ')} all have ${exposed}, ${ambiguousName}`

/** Should the operator be told about this? The definition may have been offered before the other server came. */
export const hasNameConflict = ({ why }: WithheldEntry): boolean => why.endsWith(ambiguousName)
const ambiguousName = 'so the name is ambiguous, and none of them offers it'
